// Visitors in the storm: each takes its three free uses, brings a fourth file that waits, and pays for it. Whatever is
// killed meanwhile, every use, payment and job must be accounted for.
import { openOperator } from '../../src/service/serve/backend.ts';
import { loadConfig } from '../../src/service/rules/settings/config.ts';
import { sessionOf, stripeEvent } from '../fixtures/stripe/stand-in.ts';

interface Run {
  readonly id: string;
  readonly status: string;
  readonly stage: string;
  readonly error: { readonly code: string } | null;
  readonly finishUrl?: string;
  readonly statusUrl: string;
  readonly finishedBy: { readonly jobId: string; readonly statusUrl: string } | null;
}

/** What a visitor was told. */
export interface Visit {
  /** Status links of runs that were taken. */
  readonly runs: readonly string[];
  /** Of the file that waited; null: nothing could wait any more, after too many repeated requests. */
  readonly waiting: { readonly statusUrl: string; readonly jobId: string } | null;
}

export interface VisitReport {
  readonly visitors: number;
  readonly freeRuns: number;
  readonly payments: number;
}

interface Refusal {
  readonly error?: { readonly code: string };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Repeats until the service answers with less than 500: kills cut connections. Waits where it is told to. */
async function insist(request: () => Promise<Response>): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await request();
      const { code } = (response.status === 429 ? ((await response.clone().json()) as Refusal).error : undefined) ?? {};
      if (code === 'rate_limited') await sleep(1000 * Number(response.headers.get('retry-after') ?? 1));
      else if (response.status < 500) return response;
    } catch (thrown) {
      if (attempt > 4000) throw thrown;
    }
    await sleep(100);
  }
}

export async function visit(address: string, from: string, sound: Uint8Array<ArrayBuffer>): Promise<Visit> {
  const ask = (key: string): Promise<Response> =>
    insist(() => {
      const form = new FormData();
      form.append('format', 'wav');
      form.append('file', new File([sound], 'visit.wav'));
      return fetch(`${address}/api/try/convert`, {
        method: 'POST',
        // The key makes a repeated request answer the same job.
        headers: { 'x-forwarded-for': from, 'idempotency-key': `${from} ${key}`, prefer: 'respond-async' },
        body: form,
      });
    });
  const runs: string[] = [];
  for (const key of ['one', 'two', 'three']) {
    const response = await ask(key);
    if (response.status !== 202) throw new Error(`${from} ${key}: ${response.status} ${await response.text()}`);
    const { statusUrl } = await arrived((await response.json()) as Run);
    runs.push(statusUrl);
  }
  const { code, finishUrl, statusUrl, jobId } = await refusalOf(await ask('four'));
  if (code !== 'free_limit_reached') throw new Error(`${from} got ${code}`);
  if (finishUrl === undefined || statusUrl === undefined || jobId === undefined) return { runs, waiting: null };
  const pressed = await insist(() => fetch(finishUrl, { method: 'POST', redirect: 'manual' }));
  if (pressed.status !== 303) throw new Error(`${from} could not pay: ${pressed.status}`);
  return { runs, waiting: { statusUrl, jobId } };
}

/** Where workers are killed, a request may be answered before its file is checked: its run is decided afterwards. */
async function arrived(run: Run): Promise<Run> {
  let current = run;
  for (let tries = 0; current.stage === 'arriving'; tries += 1) {
    if (tries >= 3000) throw new Error(`${run.statusUrl} is still arriving`);
    await sleep(100);
    current = (await (await insist(() => fetch(run.statusUrl))).json()) as Run;
  }
  return current;
}

/** The refusal of a request: in its answer, or later in its run. */
async function refusalOf(
  response: Response,
): Promise<{ code: string; finishUrl?: string; statusUrl?: string; jobId?: string }> {
  if (response.status !== 202) {
    const { error } = (await response.json()) as {
      error: { code: string; details?: { finishUrl?: string; statusUrl?: string; jobId?: string } };
    };
    return { code: error.code, ...error.details };
  }
  const { id, stage, error, finishUrl, statusUrl } = await arrived((await response.json()) as Run);
  if (stage === 'waiting_for_payment' && finishUrl !== undefined)
    return { code: 'free_limit_reached', finishUrl, statusUrl, jobId: id };
  return { code: error?.code ?? `a run at ${stage}` };
}

/** The provider's events, each three times, for every payment that its checkouts name. */
export async function pay(address: string, paymentIds: readonly string[]): Promise<void> {
  for (const id of paymentIds)
    for (let times = 0; times < 3; times += 1) {
      const answer = await insist(() => {
        const { body, headers } = stripeEvent('checkout.session.completed', sessionOf(id, 500));
        return fetch(`${address}/payments/stripe`, { method: 'POST', headers, body });
      });
      if (answer.status !== 200) throw new Error(`The event of ${id} was answered ${answer.status}`);
    }
}

async function ended(statusUrl: string): Promise<Run> {
  for (let tries = 0; tries < 3000; tries += 1) {
    const run = (await (await insist(() => fetch(statusUrl))).json()) as Run;
    if (['succeeded', 'failed', 'cancelled'].includes(run.status)) return run;
    await sleep(100);
  }
  throw new Error(`${statusUrl} does not end`);
}

/** Waits until all has ended. @throws Error naming what failed */
export async function settle(visits: readonly Visit[]): Promise<void> {
  for (const { runs, waiting } of visits) {
    for (const url of runs) if ((await ended(url)).status !== 'succeeded') throw new Error(`${url} failed`);
    if (waiting === null) continue;
    const whole = await ended(waiting.statusUrl);
    if (whole.status !== 'succeeded' || whole.finishedBy === null)
      throw new Error(`What waited and was paid came to ${JSON.stringify(whole)}`);
  }
}

/** The books, with the service stopped. @throws Error naming what is not accounted for */
export async function accountVisits(data: string, visits: readonly Visit[]): Promise<VisitReport> {
  await using opened = await openOperator(loadConfig({}, { data, payments: 'operator' }));
  const at = new Date();
  const demand = (condition: boolean, message: string): void => {
    if (!condition) throw new Error(message);
  };
  const { uses } = await opened.freeRuns.overview(at.toISOString().slice(0, 10), at);
  const taken = uses.convert_audio?.uses ?? 0;
  const runs = visits.reduce((sum, visited) => sum + visited.runs.length, 0);
  demand(taken === runs, `${runs} free runs succeeded and ${taken} uses are taken`);
  const { items: payments } = await opened.payments.list({ cursor: null, limit: 100 });
  const started = payments.filter(({ outcome }) => outcome === 'job_started');
  const waited = visits.filter(({ waiting }) => waiting !== null).length;
  demand(started.length === waited, `${waited} files were paid and ${started.length} payments started a job`);
  demand(
    new Set(started.map(({ jobId }) => jobId)).size === started.length,
    'Two payments name one job, or one payment none',
  );
  for (const { id, accountId, paidCents } of payments.filter(({ paidAt }) => paidAt !== null)) {
    const { items } = await opened.operator.ledger(accountId ?? '', { cursor: null, limit: 100 });
    const own = items.filter(({ kind, note }) => kind === 'purchase' && note === id);
    demand(
      own.length === 1 && own[0]?.credits === paidCents,
      `The payment ${id} stands ${own.length} times in the books`,
    );
    const account = await opened.operator.account(accountId ?? '');
    const sum = items.reduce((total, { credits }) => total + credits, 0);
    demand(
      account.balance === sum && account.reserved === 0,
      `The account of ${id} has ${account.balance}, its books ${sum}`,
    );
  }
  return { visitors: visits.length, freeRuns: runs, payments: payments.length };
}

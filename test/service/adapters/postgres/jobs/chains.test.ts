// Whatever becomes of the jobs of chains, in any order and at the same time: one reservation, one settlement, no step
// twice. Workers are played by chance; the database is real.
import { expect, it, test } from 'vitest';
import type { NewChain } from '../../../../../src/service/rules/chains/chain-store.ts';
import type { ChainPlan, Settling, StoredStep } from '../../../../../src/service/rules/chains/stored-chain.ts';
import type { StoredJob } from '../../../../../src/service/rules/jobs/stored-job.ts';
import { webhookEvents } from '../../../../../src/service/rules/webhooks/webhook-store.ts';
import { newId } from '../../../../../src/service/rules/shared/ids.ts';
import { offeredTools } from '../../../../../src/service/offers/offers.ts';
import { seeded } from '../../../../fixtures/random.ts';
import { rounds } from '../../../../fixtures/rounds.ts';
import { useDatabases, type TestStores } from '../../../../fixtures/service/database.ts';
import { newAccount, newFile } from '../../../../fixtures/service/rows.ts';

const databases = useDatabases();
const loudness = offeredTools.find(({ id }) => id === 'adjust_loudness')!;

const step = (name: string, source: string, isResult: boolean): StoredStep => ({
  name,
  tool: 'adjust_loudness',
  inputs: loudness.inputs,
  sources: { '': [source] },
  options: { target: 'podcast' },
  soundFormat: null,
  choices: { outputFormat: null, format: null },
  formats: null,
  writesText: false,
  isResult,
  billing: 'main',
  rate: 2,
  ratesWith: {},
});

/** Of minutes each. */
const planOf = (files: readonly string[]): ChainPlan => ({
  format: null,
  files: files.map((id) => ({ id, filename: `${id}.wav`, durationSeconds: 60 })),
  steps: [step('one', 'files', false), step('two', 'one', true), step('three', 'one', true)],
});

async function order(stores: TestStores, accountId: string, tracks: number, settling: Settling): Promise<string> {
  const ids: string[] = [];
  for (let track = 0; track < tracks; track += 1) {
    const file = newFile(accountId, { status: 'ready', durationSeconds: 60, expiresAt: new Date(Date.now() + 1e7) });
    ids.push((await stores.files.create(file, null)).file.id);
  }
  const chain: NewChain = {
    id: newId('chain'),
    accountId,
    name: 'chain',
    recipe: null,
    plan: planOf(ids),
    fileIds: ids,
    settling,
    price: 6 * tracks,
    idempotency: null,
    decide: () => undefined,
  };
  return (await stores.chains.create(chain)).id;
}

const outputOf = ({ id, attempt }: StoredJob) =>
  newFile(null, {
    kind: 'output',
    status: 'ready',
    filename: 'track.loudness.wav',
    durationSeconds: 60,
    sourceJobId: id,
    objectKey: `outputs/${id}/${attempt}`,
    upload: null,
    expiresAt: new Date(Date.now() + 1e7),
  });

const succeed = (stores: TestStores, job: StoredJob, seconds = 60) =>
  stores.jobs.succeed(job.id, job.attempt, {
    outputs: [outputOf(job)],
    result: {},
    warnings: [],
    processedSeconds: seconds,
    credits: 0,
  });

const error = { code: 'no_audio', message: 'There is no sound' } as const;

/** One worker meets one job, and something happens. */
async function meet(stores: TestStores, id: string, random: () => number): Promise<void> {
  const workerId = `worker-${Math.floor(random() * 4)}`;
  const turn = await stores.jobs.turn(id, workerId);
  const job = turn === null ? null : await stores.jobs.start(id, workerId, 20, turn.attempt);
  if (job === null) return;
  const chance = random();
  // It dies: the job stays as it is, and another worker takes it.
  if (chance < 0.25) return;
  if (chance < 0.3) await stores.jobs.requeue(id, job.attempt);
  else if (chance < 0.35) await stores.jobs.crashed(id, job.attempt);
  else if (chance < 0.4) await stores.jobs.fail(id, job.attempt, error);
  else {
    // Its settlement is sent twice, and one of an earlier attempt comes late.
    const late = { ...job, attempt: job.attempt - 1 };
    const settled = await Promise.all([succeed(stores, job), succeed(stores, job), succeed(stores, late)]);
    expect(settled.filter(Boolean).length).toBeLessThanOrEqual(1);
    expect(settled[2]).toBe(false);
  }
}

it('is reserved once and settled once, whatever dies, fails or is cancelled, and does no step twice', async () => {
  const seed = Date.now() % 100_000;
  console.info(`seed ${seed}`);
  const random = seeded(seed);
  const stores = await databases.freshStores();
  const { id: accountId } = await newAccount(stores, 100_000);
  await stores.database.query(
    `insert into webhook_endpoints (id, account_id, url, description, events, secret)
     values ('hook_1', '${accountId}', 'https://hooks.example.com/', '', $1, 'secret')`,
    [webhookEvents.filter((event) => !event.startsWith('file.'))],
  );
  const ids = await Promise.all(
    Array.from({ length: rounds(12, 200) }, (_, at) =>
      order(stores, accountId, 1 + (at % 3), at % 2 === 0 ? 'whole' : 'steps'),
    ),
  );
  const query = async <Row>(text: string): Promise<Row[]> => (await stores.database.query(text)).rows as Row[];
  for (;;) {
    const open = await query<{ id: string }>(`select id from jobs where status in ('queued', 'running')`);
    if (open.length === 0) break;
    const cancelled = random() < 0.1 ? ids[Math.floor(random() * ids.length)] : undefined;
    await Promise.all([
      ...open.map(({ id }) => meet(stores, id, random)),
      ...(cancelled === undefined ? [] : [stores.chains.requestCancel(cancelled).catch(() => undefined)]),
    ]);
  }
  const chains = await query<{ id: string; status: string; settling: Settling; price: number; charged: number }>(
    `select id, status, settling, price::int as price, charged::int as charged from chains`,
  );
  expect(chains).toHaveLength(ids.length);
  // Some of each, or the test says little.
  expect(new Set(chains.map(({ status }) => status)).size).toBeGreaterThan(1);
  // Webhooks tell of each chain that it began, and once how it ended; of its steps they say nothing.
  const told = await query<{ subject: string; type: string; status: string }>(
    `select subject, type, data ->> 'status' as status from webhook_deliveries order by position`,
  );
  const names = { succeeded: 'chain.completed', failed: 'chain.failed', cancelled: 'chain.cancelled' };
  for (const { id, status } of chains)
    expect(told.filter(({ subject }) => subject === id)).toEqual([
      { subject: id, type: 'chain.created', status: 'running' },
      { subject: id, type: names[status as keyof typeof names], status },
    ]);
  expect(told).toHaveLength(2 * chains.length);
  let spent = 0;
  for (const { id, status, settling, price, charged } of chains) {
    expect(['succeeded', 'failed', 'cancelled']).toContain(status);
    const entries = await query<{ kind: string; credits: number; reserved: number }>(
      `select kind, credits::int as credits, reserved::int as reserved from ledger where job_id = '${id}' order by position`,
    );
    const end = charged > 0 ? { kind: 'charge', credits: -charged } : { kind: 'release', credits: 0 };
    expect(entries).toEqual([
      { kind: 'reserve', credits: 0, reserved: price },
      { ...end, reserved: -price },
    ]);
    const done = await query<{ step: number; jobs: number; succeeded: number }>(
      `select chain_step as step, count(*)::int as jobs, count(*) filter (where status = 'succeeded')::int as succeeded
       from jobs where chain_id = '${id}' group by chain_step order by chain_step`,
    );
    const finished = done.filter(({ jobs, succeeded }) => jobs === succeeded);
    const tracks = price / 6;
    for (const { jobs } of done) expect(jobs).toBe(tracks);
    const isPaid = status === 'succeeded' || settling === 'steps';
    expect(charged).toBe(isPaid ? 2 * tracks * finished.length : 0);
    if (status === 'succeeded') expect(charged).toBe(price);
    spent += charged;
    // What it gives is the account's; everything else of it goes.
    const files = await query<{ owned: boolean; kept: boolean; listed: boolean }>(
      `select account_id is not null as owned, expires_at > clock_timestamp() as kept,
         id = any((select output_file_ids from chains where id = '${id}')::text[]) as listed
       from files where source_job_id in (select id from jobs where chain_id = '${id}')`,
    );
    for (const { owned, kept, listed } of files) expect([owned, kept]).toEqual([listed, listed]);
    const listed = files.filter((file) => file.listed).length;
    // Two of three steps give results; before these the first one's files are what there is.
    const given = finished.length === 0 ? 0 : finished.length === 3 ? 2 : finished.length;
    expect(listed).toBe(isPaid ? tracks * given : 0);
  }
  const [account] = await query<{ balance: number; reserved: number; sum: number; held: number }>(
    `select balance::int as balance, reserved::int as reserved,
       (select sum(credits)::int from ledger) as sum, (select sum(reserved)::int from ledger) as held from accounts`,
  );
  expect(account).toEqual({ balance: 100_000 - spent, reserved: 0, sum: 100_000 - spent, held: 0 });
  expect(await stores.reconciliation.books()).toEqual({ accounts: [], charges: [], held: [] });
});

test('a chain whose step was settled by the release before goes on with the next round', async () => {
  const stores = await databases.freshStores();
  const { id: accountId } = await newAccount(stores, 100);
  const id = await order(stores, accountId, 1, 'whole');
  await stores.database.query(
    `update jobs set status = 'cancelled', finished_at = clock_timestamp() where chain_id = '${id}'`,
  );
  expect(await stores.chains.goOn()).toBe(1);
  expect((await stores.chains.get(id))?.chain).toMatchObject({ status: 'cancelled', charged: 0, failedStep: 'one' });
  expect(await stores.chains.goOn()).toBe(0);
});

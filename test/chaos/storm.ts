// A storm over the running service: short jobs come in while kill -9 hits job processes, the supervisor, the API and
// PostgreSQL at random moments. Afterwards everything must be accounted for. `npm run chaos -- --jobs=300 --seconds=120
// --seed=7` runs a long one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wavFile } from '../../bench/service/wav.ts';
import { seeded } from '../fixtures/random.ts';
import { createClient, startService, type RunningService } from '../fixtures/service/running-service.ts';
import { secretKey, startStripe, webhookSecret } from '../fixtures/stripe/stand-in.ts';
import { account, patient } from './reckoning.ts';
import { accountOlder, olderAccount, olderClients, olderEnded, type OlderReport } from './older.ts';
import { accountVisits, pay, settle, visit, type VisitReport } from './visitors.ts';

export interface StormOptions {
  readonly jobs: number;
  /** After one of each kind, kills stop when the jobs are done, or after this long. */
  readonly seconds: number;
  readonly seed: number;
}

export interface StormReport {
  readonly kills: Readonly<Record<Victim, number>>;
  readonly requestsFailed: number;
  readonly jobs: Readonly<Record<string, number>>;
  readonly charged: number;
  readonly filesChecked: number;
  /** Free runs, files that waited, and what was paid for them. */
  readonly visits: VisitReport;
  /** Jobs of the older API, each followed over websockets. */
  readonly older: OlderReport;
}

type Victim = 'job' | 'worker' | 'api' | 'postgres';
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** @throws Error naming what is not accounted for */
export async function storm({ jobs, seconds, seed }: StormOptions): Promise<StormReport> {
  const data = mkdtempSync(join(tmpdir(), 'earshot-chaos-'));
  const stripe = await startStripe();
  const flags = [
    '--log-level',
    'error',
    '--rate-limit-account',
    '1000000',
    '--first-credits',
    '1000',
    '--job-attempts',
    '10',
    '--trust-proxy',
    'true',
    '--legacy-port',
    '0',
    '--payments',
    'stripe',
    '--stripe-key',
    secretKey,
    '--stripe-webhook-secret',
    webhookSecret,
    '--stripe-url',
    stripe.url,
  ];
  let service = await startService(data, flags);
  try {
    const key = service.key ?? '';
    const random = seeded(seed);
    const client = patient(() => createClient(service.address, key));
    const source = await client((each) => each.upload(wavFile(20), 'storm.wav'));
    const olderBase = /older API is at (\S+)/.exec(service.output())?.[1] ?? '';
    const older = await olderAccount(data, 1000);
    let done = false;
    const killing = killAtRandom(service, random, seconds, () => done);
    const { address } = service;
    const followed = olderClients(olderBase, older, Math.max(3, Math.floor(jobs / 12)), wavFile(2));
    // It is awaited below; until then its failure is nobody's.
    followed.catch(() => undefined);
    const visiting = Promise.all(
      Array.from({ length: Math.max(2, Math.floor(jobs / 10)) }, (_, index) =>
        visit(address, `198.18.0.${index + 1}`, wavFile(2)),
      ),
    ).then(async (visits) => {
      const paymentIds = stripe.sessions.map(({ form }) => form.get('client_reference_id') ?? '');
      await pay(address, paymentIds);
      await settle(visits);
      return visits;
    });
    const ids = await submit(client, source.id, jobs, random);
    await Promise.all(ids.map((id) => client((each) => each.finished(id, 20_000))));
    const visits = await visiting;
    const olderTold = await followed;
    done = true;
    const kills = await killing;
    const requestsFailed = client.failures();

    // A last restart from cold: what is terminal must have lasted.
    await service.stop();
    service = await startService(data, flags);
    const report = await account(createClient(service.address, key), ids);
    await olderEnded(data, older);
    await service.stop();
    return {
      kills,
      requestsFailed,
      ...report,
      visits: await accountVisits(data, visits),
      older: await accountOlder(data, older, olderTold),
    };
  } finally {
    service.launcher.kill('SIGKILL');
    await service.stop().catch(() => undefined);
    await stripe.close();
    rmSync(data, { recursive: true, force: true });
  }
}

/** Cheap and dearer tools, and now and then a cancel. */
async function submit(
  client: ReturnType<typeof patient>,
  fileId: string,
  jobs: number,
  random: () => number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < jobs; number += 1) {
    const body =
      random() < 0.5
        ? { tool: 'adjust_loudness', file_id: fileId, output_format: 'mp3' }
        : { tool: 'cut_audio', file_id: fileId, ranges: [[1, 2 + random() * 10]] };
    const job = await client((each) =>
      each.call<{ id: string }>('POST', '/api/v1/jobs', { ...body, free: false, idempotency_key: `storm-${number}` }),
    );
    ids.push(job.id);
    // A refusal (it has ended already) is an answer too.
    if (random() < 0.1)
      await client((each) =>
        each
          .call('POST', `/api/v1/jobs/${job.id}/cancel`)
          .catch((thrown: Error) => (/job_not_cancellable/.test(thrown.message) ? undefined : Promise.reject(thrown))),
      );
    await sleep(random() * 60);
  }
  return ids;
}

async function killAtRandom(
  service: RunningService,
  random: () => number,
  seconds: number,
  over: () => boolean,
): Promise<Record<Victim, number>> {
  const kills = { job: 0, worker: 0, api: 0, postgres: 0 };
  const until = performance.now() + seconds * 1000;
  // One of each kind first, in any order: a short storm has few kills.
  const due = (['job', 'worker', 'api', 'postgres'] as const)
    .map((victim) => ({ victim, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ victim }) => victim);
  while (due.length > 0 || (!over() && performance.now() < until)) {
    await sleep(200 + random() * 1300);
    const dice = random();
    const victim = due[0] ?? (dice < 0.5 ? 'job' : dice < 0.7 ? 'worker' : dice < 0.85 ? 'api' : 'postgres');
    const pids = service.pids()[victim];
    const pid = pids[Math.floor(random() * pids.length)];
    if (pid === undefined) continue;
    try {
      process.kill(pid, 'SIGKILL');
      kills[victim] += 1;
      due.shift();
    } catch {
      // It ended by itself a moment ago.
    }
  }
  return kills;
}

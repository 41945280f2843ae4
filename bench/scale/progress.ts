// Settlements beside running jobs: jobs as rows, workers as leases, and the service's own statements. `npm run
// bench:scale` runs it; see docs/scaling.md.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase, type Database } from '../../src/service/adapters/postgres/database/database.ts';
import { startEmbeddedPostgres } from '../../src/service/adapters/postgres/embedded/embedded.ts';
import { createHeartbeat } from '../../src/service/adapters/postgres/shared/heartbeat.ts';
import { createPostgresStores, type PostgresStores } from '../../src/service/adapters/postgres/stores.ts';
import { createEnqueuer, type Enqueuer } from '../../src/service/adapters/queue/enqueue.ts';
import { newEmptyJob } from './empty-job.ts';
import { newId } from '../../src/service/rules/shared/ids.ts';
import { newWorkerId } from '../../src/service/rules/worker/worker.ts';

const quiet = { info() {}, warn() {}, error() {} };

export interface ScaleDatabase extends AsyncDisposable {
  readonly database: Database;
  readonly stores: PostgresStores;
  readonly enqueuer: Enqueuer;
  /** Process id of the server. */
  readonly pid: number;
  readonly urls: { readonly url: string; readonly ownerUrl: string };
}

/** A PostgreSQL of its own with the settings that it has in service. */
export async function openScaleDatabase(maxConnections = 16): Promise<ScaleDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-scale-'));
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), log: quiet });
  const database = openDatabase({ ...server, log: quiet, maxConnections });
  await database.migrate();
  const enqueuer = await createEnqueuer(database);
  const stores = createPostgresStores(database, enqueuer);
  return {
    database,
    stores,
    enqueuer,
    urls: server,
    pid: server.pid,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await enqueuer.close();
      await database.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The value below which that part of all lies. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

export const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** CPU seconds that the server's processes have taken so far; 0 where the system does not say. */
export function serverCpuSeconds(postmaster: number): number {
  let ticks = 0;
  for (const name of existsSync('/proc/self/stat') ? readdirSync('/proc') : []) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [, parent, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
      if (Number(parent) === postmaster) ticks += Number(rest[9]) + Number(rest[10]);
    } catch {
      // It has just ended.
    }
  }
  return ticks / 100;
}

/** Jobs that run, by SQL. */
async function runningJobs(database: Database, accountId: string, count: number, workerOf: (n: number) => string) {
  const ids = Array.from({ length: count }, () => newId('job'));
  await sql`insert into jobs (id, account_id, free_subject, free_day, tool, status, inputs, options, free, price, attempt,
      worker_id, share_key, share_rank, started_at)
    select id, ${accountId}, ${accountId}, '2026-11-21', 'remove_noise', 'running', '{}', '{}', false, 0, 1, worker,
      ${accountId}, 1, now()
    from unnest(${ids}::text[], ${ids.map((_id, n) => workerOf(n))}::text[]) as given (id, worker)`.execute(
    database.kysely,
  );
  return ids;
}

/**
 * Each of `workers` has its share of the running jobs, whose progress it tells twice a second, while jobs are created,
 * started and settled one after the other.
 */
export async function settleBeside(running: number, workers: number, seconds: number): Promise<void> {
  await using scale = await openScaleDatabase(4);
  const { database, stores, urls, pid } = scale;
  const accountId = newId('acc');
  await stores.accounts.create({ id: accountId, name: 'bench', oauthSubject: null });
  await stores.ledger.post({ accountId, kind: 'grant', credits: 1_000_000, note: null });
  const machines = Array.from({ length: workers }, () => {
    const own = openDatabase({ ...urls, log: quiet, maxConnections: 1 });
    const facts = { host: 'bench', version: '0', roles: ['worker'], labels: [], slots: 16, connections: 4 } as const;
    const heart = createHeartbeat(own, { ...facts, id: newWorkerId(), build: '', models: [] }, () => ({
      running: Math.ceil(running / workers),
      load: 0,
    }));
    return { own, heart };
  });
  const idOf = (n: number): string => machines[n % workers]?.heart.workerId ?? '';
  const ids = await runningJobs(database, accountId, running, idOf);
  const ending = new AbortController();
  let told = 0;
  let late = 0;
  const telling = ids.map(async (id, n) => {
    await sleep((500 * n) / running);
    for (let step = 0; !ending.signal.aborted; step += 1) {
      const began = performance.now();
      const answer = machines[n % workers]?.heart.report(id, 1, {
        progress: Math.min(1, step / 1000),
        stage: 'bench',
        estimatedSecondsLeft: 10,
      });
      await answer?.then(
        () => (told += 1),
        () => undefined,
      );
      const took = performance.now() - began;
      if (took > 1000) late += 1;
      await sleep(Math.max(0, 500 - took));
    }
  });
  await sleep(2000);
  const [settlements, creations]: [number[], number[]] = [[], []];
  const cpu = serverCpuSeconds(pid);
  const began = performance.now();
  const before = told;
  while (performance.now() - began < seconds * 1000) {
    const at = performance.now();
    const { job } = await stores.jobs.create(newEmptyJob(accountId));
    creations.push(performance.now() - at);
    await stores.jobs.start(job.id, 'settler', 3);
    const settling = performance.now();
    const outcome = { outputs: [], result: {}, warnings: [], processedSeconds: 60, credits: 1 };
    if (!(await stores.jobs.succeed(job.id, 1, outcome))) throw new Error('A settlement was refused');
    settlements.push(performance.now() - settling);
    await sleep(5);
  }
  const tookSeconds = (performance.now() - began) / 1000;
  ending.abort();
  await Promise.all(telling);
  const cores = (serverCpuSeconds(pid) - cpu) / tookSeconds;
  console.log(
    `| ${running} | ${workers} | ${Math.round((told - before) / tookSeconds)} | ${late} | ${settlements.length} | ` +
      `${ms(quantile(settlements, 0.5))} | ${ms(quantile(settlements, 0.99))} | ${ms(quantile(creations, 0.99))} | ` +
      `${cores.toFixed(2)} |`,
  );
  for (const { heart, own } of machines) {
    await heart.stop();
    await own.close();
  }
}

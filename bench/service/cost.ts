// What a short job and an upload cost in CPU, by process, how many go through in a second, and how often the database
// is asked, also when nothing is to be done. On the sources; on what is published after `npm run build` with
// EARSHOT_TEST_BUILT=1.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase } from '../../src/service/adapters/postgres/database/database.ts';
import { startEmbeddedPostgres } from '../../src/service/adapters/postgres/embedded/embedded.ts';
import type { Log } from '../../src/service/rules/shared/log.ts';
import { createClient, type RunningService } from '../../test/fixtures/service/running-service.ts';
import { wavFile } from './wav.ts';

export type Row = (what: string, bound: string, measured: string) => void;

const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ticksPerSecond = 100;

interface Cpu {
  readonly own: number;
  /** Of children that have ended. */
  readonly ended: number;
}

/** Milliseconds of user and system time; zero for a process that is gone. */
function cpuOf(pid: number): Cpu {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ms = (from: number): number => (((fields[from] ?? 0) + (fields[from + 1] ?? 0)) * 1000) / ticksPerSecond;
    return { own: ms(11), ended: ms(13) };
  } catch {
    return { own: 0, ended: 0 };
  }
}

const childrenOf = (pid: number): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};

const withChildren = (pid: number): number =>
  cpuOf(pid).own + cpuOf(pid).ended + childrenOf(pid).reduce((sum, child) => sum + cpuOf(child).own, 0);

const kinds = ['job', 'worker', 'API', 'database'] as const;
type Spent = Readonly<Record<(typeof kinds)[number], number>>;

export function spentBy(service: RunningService): Spent {
  const { api, worker, postgres } = service.pids();
  const [workerPid = 0, apiPid = 0, postgresPid = 0] = [worker[0], api[0], postgres[0]];
  const workerOwn = cpuOf(workerPid).own;
  return {
    job: withChildren(workerPid) - workerOwn,
    worker: workerOwn,
    API: cpuOf(apiPid).own,
    database: withChildren(postgresPid),
  };
}

const each = (before: Spent, after: Spent, count: number): string => {
  const parts = kinds.map((kind) => [kind, (after[kind] - before[kind]) / count] as const);
  const all = parts.reduce((sum, [, ms]) => sum + ms, 0);
  return `${all.toFixed(0)} ms (${parts.map(([kind, ms]) => `${kind} ${ms.toFixed(0)}`).join(', ')})`;
};

/** @param data the service's folder */
export async function measureCost(
  service: RunningService,
  key: string,
  data: string,
  reuse: boolean,
  row: Row,
): Promise<void> {
  const client = createClient(service.address, key);
  const server = await startEmbeddedPostgres({ dataDir: join(data, 'postgres'), log: quiet });
  const database = openDatabase({ url: server.url, log: quiet });
  const transactions = async (): Promise<number> => {
    // What a connection did is added up once a second, and what it did last when it has been idle for ten.
    await sleep(11_000);
    const { rows } = await sql<{ count: number }>`
      select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()
    `.execute(database.kysely);
    return rows[0]?.count ?? 0;
  };
  try {
    const bytes = wavFile(5);
    const file = await client.upload(bytes, 'five.wav');
    let runs = 0;
    const runJob = async (): Promise<void> => {
      runs += 1;
      const { id } = await client.call<{ id: string }>('POST', '/api/v1/jobs', {
        tool: 'adjust_loudness',
        file_id: file.id,
        idempotency_key: `cost-${reuse}-${runs}`,
      });
      for (let status = 'queued'; status !== 'succeeded';) {
        await sleep(100);
        status = (await client.call<{ status: string }>('GET', `/api/v1/jobs/${id}`)).status;
        if (status === 'failed') throw new Error(`job ${id} failed`);
      }
    };
    const many = async (count: number, lanes: number, work: () => Promise<unknown>): Promise<number> => {
      let left = count;
      const startedAt = performance.now();
      const lane = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await work();
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      return (1000 * count) / (performance.now() - startedAt);
    };
    // The compile cache is filled by a process beside the first run.
    await many(4, 4, runJob);
    const idleFrom = await transactions();
    const idleAt = performance.now();
    await sleep(10_000);
    const idle = (1000 * ((await transactions()) - idleFrom)) / (performance.now() - idleAt);
    if (!reuse) row('transactions a second while nothing is to be done', '10', idle.toFixed(1));

    // So many that the worker's slots never wait for one of them to look and to ask; four uploads of an account may
    // arrive at a time.
    for (const [what, count, lanes, work, bound] of [
      ['adjust_loudness of 5 s', 80, 8, runJob, reuse ? '30/s' : '160 ms (job 90), 14/s'],
      ['upload and check of 5 s', 20, 4, () => client.upload(bytes, 'five.wav'), reuse ? '' : '100 ms'],
    ] as const) {
      const [asked, at] = [await transactions(), performance.now()];
      const before = spentBy(service);
      const perSecond = await many(count, lanes, work);
      const after = spentBy(service);
      const own = (await transactions()) - asked - (idle * (performance.now() - at)) / 1000;
      row(
        `${what}, ${reuse ? 'EARSHOT_JOB_REUSE=50, ' : ''}${lanes} at a time, CPU of each`,
        bound,
        `${each(before, after, count)}; ${perSecond.toFixed(1)}/s; ${(own / count).toFixed(1)} transactions`,
      );
    }
  } finally {
    await database.close();
  }
}

// Jobs with an empty tool through creation, queue, start and settlement, by 1, 2 and 4 worker processes.
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { newEmptyJob } from './empty-job.ts';
import { newId } from '../../src/service/rules/shared/ids.ts';
import { openScaleDatabase, serverCpuSeconds } from './progress.ts';

/** The database's own count of its commits. */
export async function measureDeliveries(seconds: number): Promise<void> {
  console.log('\n| worker processes | jobs | jobs a second | commits a job | CPU of the database a job |');
  console.log('|---|---|---|---|---|');
  for (const processes of [1, 2, 4]) await deliver(processes, seconds);
}

async function deliver(processes: number, seconds: number): Promise<void> {
  await using scale = await openScaleDatabase(8);
  const { stores, urls, database } = scale;
  const accounts = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const id = newId('acc');
      await stores.accounts.create({ id, name: 'bench', oauthSubject: null });
      await stores.ledger.post({ accountId: id, kind: 'grant', credits: 1_000_000, note: null });
      return id;
    }),
  );
  const children = Array.from({ length: processes }, () =>
    fork(fileURLToPath(new URL('empty-worker.ts', import.meta.url)), [urls.url], { stdio: 'inherit' }),
  );
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('message', resolve))));
  const commits = async (): Promise<number> => {
    await sql`select pg_stat_clear_snapshot()`.execute(database.kysely);
    const { rows } = await sql<{ count: number }>`select xact_commit::int as count from pg_stat_database
      where datname = current_database()`.execute(database.kysely);
    return rows[0]?.count ?? 0;
  };
  const before = await commits();
  const cpu = serverCpuSeconds(scale.pid);
  const began = performance.now();
  let created = 0;
  const create = async (accountId: string): Promise<void> => {
    while (performance.now() - began < seconds * 1000) {
      await stores.jobs.create(newEmptyJob(accountId));
      created += 1;
    }
  };
  await Promise.all(accounts.map(create));
  while ((await stores.jobs.counts()).succeeded < created) await new Promise((resolve) => setTimeout(resolve, 50));
  const tookSeconds = (performance.now() - began) / 1000;
  const perJob = ((await commits()) - before) / created;
  console.log(
    `| ${processes} | ${created} | ${(created / tookSeconds).toFixed(0)} | ${perJob.toFixed(1)} | ` +
      `${((1000 * (serverCpuSeconds(scale.pid) - cpu)) / created).toFixed(1)} ms |`,
  );
  await Promise.all(children.map(end));
}

const end = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });

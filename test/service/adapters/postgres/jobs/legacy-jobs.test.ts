import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '../../../../../src/service/rules/shared/ids.ts';
import { useDatabases } from '../../../../fixtures/service/database.ts';
import { newAccount, newFile, newJob, paid } from '../../../../fixtures/service/rows.ts';

const databases = useDatabases();

test('the jobs before a waiting one that are told never rise, whatever goes before it later', async () => {
  const stores = await databases.freshStores();
  const [first, second] = [await newAccount(stores, 100), await newAccount(stores, 100)];
  const file = newFile(first.id, { status: 'ready' });
  await stores.files.create(file, null);
  const ordered: string[] = [];
  const order = async (accountId: string, id = newId('job')): Promise<void> => {
    ordered.push((await stores.jobs.create(newJob(accountId, paid(1), { id }))).job.id);
  };
  const id = newId('job');
  const legacy = { id, accountId: first.id, fileId: file.id, tool: 'remove_noise' as const, options: {} };
  const rest = { ownFormat: null, fromLink: false, outputUrl: null, createdAt: new Date(), expiresAt: new Date() };
  await stores.legacyJobs.create({ ...legacy, ...rest }, 'caller');
  const told = async (): Promise<number | undefined> => (await stores.legacyJobs.look(id))?.jobsAhead;

  for (let jobs = 0; jobs < 2; jobs += 1) await order(first.id);
  await order(first.id, id);
  await stores.legacyJobs.ordered(id);
  expect(await told()).toBe(2);
  // By their share, the other account's first jobs go before it.
  for (let jobs = 0; jobs < 2; jobs += 1) await order(second.id);
  const { rows } = await sql<{ ahead: number }>`select count(*)::int as ahead from jobs, jobs as mine
    where mine.id = ${id} and (jobs.share_rank, jobs.created_at) < (mine.share_rank, mine.created_at)`.execute(
    stores.database.kysely,
  );
  expect(rows[0]?.ahead).toBe(4);
  expect(await told()).toBe(2);
  for (const [index, left] of [2, 2, 1, 0].entries()) {
    await stores.jobs.start(ordered[[0, 3, 1, 4][index]!]!, 'worker', 3);
    expect(await told()).toBe(left);
  }
});

import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { reenqueueLost } from '../../../../src/service/adapters/postgres/housekeeping.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { newAccount, newJob, paid } from '../../../fixtures/service/rows.ts';

const databases = useDatabases();

test('jobs that were lost from the queue come back with the turns that they had', async () => {
  const stores = await databases.freshStores();
  const [busy, newcomer] = [await newAccount(stores, 100), await newAccount(stores, 100)];
  for (const { id } of [busy, busy, busy, newcomer]) await stores.jobs.create(newJob(id, paid(1)));
  const turns = async (): Promise<readonly { id: string; priority: number }[]> =>
    (
      await sql<{ id: string; priority: number }>`
        select singleton_key as id, priority from pgboss.job order by singleton_key`.execute(stores.database.kysely)
    ).rows;
  const before = await turns();
  expect(before.map(({ priority }) => priority).sort((a, b) => b - a)).toEqual([-1, -1, -2, -3]);
  await sql`delete from pgboss.job`.execute(stores.database.kysely);
  expect(await reenqueueLost(stores.database, stores.enqueuer)).toBe(4);
  expect(await turns()).toEqual(before);
});

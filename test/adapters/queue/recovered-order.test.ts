import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { reenqueueLost } from '../../../src/adapters/postgres/housekeeping.ts';
import { newId } from '../../../src/service/ids.ts';
import { useDatabases } from '../../fixtures/service/database.ts';

const databases = useDatabases();

test('jobs that were lost from the queue come back with the turns that they had', async () => {
  const stores = await databases.freshStores();
  const account = async (): Promise<string> => {
    const { id } = await stores.accounts.create({ id: newId('acc'), name: 'x', oauthSubject: null });
    await stores.ledger.post({ accountId: id, kind: 'grant', credits: 100, note: null });
    return id;
  };
  const [busy, newcomer] = [await account(), await account()];
  for (const accountId of [busy, busy, busy, newcomer])
    await stores.jobs.create({
      id: newId('job'),
      accountId,
      freeSubject: { id: accountId, day: '2026-11-21' },
      tool: 'remove_noise',
      inputs: {},
      options: {},
      idempotency: null,
      billing: { seconds: 60, creditsPerMinute: 1 },
      decide: () => ({ free: false, windowSeconds: null, price: 1 }),
    });
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

// In which order jobs of customers and of visitors start.
import { beforeEach, expect, test } from 'vitest';
import { claimTasks } from '../../../../src/service/adapters/queue/leases.ts';
import { nextPick } from '../../../../src/service/rules/fleet/job-classes.ts';
import type { Terms } from '../../../../src/service/rules/accounts/free.ts';
import { type TestStores, useDatabases } from '../../../fixtures/service/database.ts';
import { day, newAccount, newJob, paid } from '../../../fixtures/service/rows.ts';
import { slow } from '../../../fixtures/rounds.ts';

const databases = useDatabases();
let stores: TestStores;
beforeEach(async () => {
  stores = await databases.freshStores();
});

const free: Terms = { free: true, windowSeconds: 60, price: 0 };
const create = async (accountId: string | null, terms = free, visitor = 'visitor'): Promise<string> =>
  (await stores.jobs.create(newJob(accountId, terms, { freeSubject: { id: accountId ?? visitor, day } }))).job.id;

/** Starts jobs one after another, as a worker with one slot does, until none waits or `last` has started. */
async function startAll(last?: string): Promise<readonly string[]> {
  const started: string[] = [];
  for (;;) {
    const pick = nextPick({ slots: 1 }, { paid: 0, free: 0 }, started.length);
    const [claim] = await claimTasks(stores.database, 'job', pick, 'worker');
    if (claim === undefined) return started;
    started.push(claim.task);
    if (claim.task === last) return started;
  }
}

test('a paid job does not wait for 200 free uses from 200 addresses', slow, async () => {
  await Promise.all(Array.from({ length: 200 }, (_, n) => create(null, free, `address ${n}`)));
  const mine = await create((await newAccount(stores, 100)).id, paid(1));
  expect(await startAll(mine)).toEqual([mine]);
});

test('free jobs get one start in four, and visitors are one owner among those who have free uses', async () => {
  const [customer, guest] = [(await newAccount(stores, 100)).id, (await newAccount(stores)).id];
  const visitors: string[] = [];
  for (let n = 0; n < 6; n += 1) visitors.push(await create(null, free, `address ${n}`));
  const bought: string[] = [];
  for (let n = 0; n < 12; n += 1) bought.push(await create(customer, paid(1)));
  const own = [await create(guest), await create(guest)];
  const started = await startAll();
  const freeOnes = started.slice(0, 16).filter((id) => !bought.includes(id));
  expect(freeOnes).toEqual([visitors[0], own[0], visitors[1], own[1]]);
  expect(started.slice(0, 5)).toEqual([...bought.slice(0, 3), visitors[0], bought[3]]);
  expect(started.slice(16)).toEqual(visitors.slice(2));
});

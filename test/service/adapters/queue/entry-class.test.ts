// The class of a job in its queue entry: a worker looks at one job of each class, not at each waiting job.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { reenqueueLost } from '../../../../src/service/adapters/postgres/housekeeping.ts';
import { createPostgresStores } from '../../../../src/service/adapters/postgres/stores.ts';
import { entryClassOf } from '../../../../src/service/adapters/queue/entry-class.ts';
import { claimTasks, nextSuited } from '../../../../src/service/adapters/queue/leases.ts';
import { suitedValues } from '../../../../src/service/adapters/queue/suited.ts';
import { readPools, toolsWithModels } from '../../../../src/service/rules/fleet/pools.ts';
import { useDatabases, type TestStores } from '../../../fixtures/service/database.ts';
import { newAccount, newJob, paid } from '../../../fixtures/service/rows.ts';

const databases = useDatabases();
let stores: TestStores;
let accountId: string;
beforeAll(async () => {
  stores = await databases.freshStores();
  accountId = (await newAccount(stores, 1000)).id;
});

const models = ['b', 'a'];
const promised = { accountId: 'a', free: false, tool: 'transcribe_audio', promisedVersion: '1' } as const;
const machine = (has: readonly string[]) =>
  suitedValues({
    version: '1',
    labels: [],
    models: has,
    pools: readPools(null),
    modelTools: toolsWithModels,
    waitSeconds: 5,
  });
const one = { most: 1, only: null, first: 'paid' } as const;
const take = async (has: readonly string[]): Promise<readonly string[]> =>
  (await claimTasks(stores.database, 'job', one, 'worker', machine(has))).map(({ task }) => task);

async function order(): Promise<string> {
  const { jobs } = createPostgresStores(stores.database, stores.enqueuer, { build: 'b', version: '1', models });
  return (await jobs.create({ ...newJob(accountId, paid(1)), tool: 'transcribe_audio' })).job.id;
}

const classesOf = async (id: string): Promise<readonly unknown[]> =>
  (
    await sql<{ class: string }>`select data ->> 'class' as class from pgboss.job
      where name = 'job' and singleton_key = ${id} and state < 'active'`.execute(stores.database.kysely)
  ).rows.map((row) => row.class);

test('what a machine must have makes a class, and the order of models or other tools do not', () => {
  const given = entryClassOf({ ...promised, promisedModels: ['b', 'a'] });
  expect(given).toMatch(/^paid [\w-]{16}$/);
  expect(entryClassOf({ ...promised, promisedModels: ['a', 'b'], accountId: 'other' })).toBe(given);
  for (const change of [{ promisedVersion: '2' }, { free: true }, { promisedModels: ['a'] }, { promisedModels: null }])
    expect(entryClassOf({ ...promised, promisedModels: ['a', 'b'], ...change })).not.toBe(given);
  const without = { ...promised, tool: 'cut_audio' } as const;
  expect(entryClassOf({ ...without, promisedModels: ['a'] })).toBe(entryClassOf({ ...without, promisedModels: [] }));
});

test('a job keeps its class when it goes back to the queue, and when its entry was lost', async () => {
  const id = await order();
  const given = entryClassOf({ ...promised, promisedModels: models });
  expect(await classesOf(id)).toEqual([given]);
  expect(await take(models)).toEqual([id]);
  const job = await stores.jobs.start(id, 'worker', 3);
  await stores.jobs.requeue(id, job?.attempt ?? 0);
  expect(await classesOf(id)).toEqual([given]);
  await sql`delete from pgboss.job`.execute(stores.database.kysely);
  expect(await reenqueueLost(stores.database, stores.enqueuer)).toBe(1);
  expect(await classesOf(id)).toEqual([given]);
  expect(await take(models)).toEqual([id]);
});

test('entries of the release before, without a class, are refused and taken as they were', async () => {
  const id = await order();
  await sql`update pgboss.job set data = data - 'class' where singleton_key = ${id}`.execute(stores.database.kysely);
  expect(await take([])).toEqual([]);
  expect(await take(models)).toEqual([id]);
});

test('a worker that must refuse a whole queue reads one job of it, and one that takes a job reads that', async () => {
  const id = await order();
  await sql`insert into pgboss.job (name, data, singleton_key, priority, policy, heartbeat_seconds)
    select name, jsonb_set(data, '{id}', to_jsonb('job_' || n)), 'job_' || n, priority - n, policy, heartbeat_seconds
    from pgboss.job, generate_series(1, 300) n where singleton_key = ${id} and state < 'active'`.execute(
    stores.database.kysely,
  );
  expect(await entriesRead([])).toBeLessThan(4);
  expect(await entriesRead(models)).toBeLessThan(6);
});

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Entries that the server reads for the first job of a machine with these models. */
async function entriesRead(has: readonly string[]): Promise<number> {
  const values = ['job', 1, 'worker', null, null, 'paid', ...machine(has)];
  const explain = `explain (analyze, format json) with recursive ${nextSuited} select * from next`;
  const { rows } = await stores.database.query(explain, values);
  const [answer] = rows as readonly { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }[];
  const readBy = (plan: Plan): number => {
    const rowsRead = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
    const own = plan['Relation Name']?.startsWith('job_common') ? rowsRead * plan['Actual Loops'] : 0;
    return (plan.Plans ?? []).reduce((sum, each) => sum + readBy(each), own);
  };
  return answer === undefined ? Number.NaN : readBy(answer['QUERY PLAN'][0].Plan);
}

// What /metrics says of the fleet.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { readFleetOverview } from '../../../../../src/service/adapters/postgres/fleet/fleet-overview.ts';
import { foldCounts, noteCounts } from '../../../../../src/service/adapters/postgres/shared/tallies.ts';
import { AttemptCounts } from '../../../../../src/service/rules/jobs/attempt-counts.ts';
import { createLeadership } from '../../../../../src/service/adapters/postgres/shared/leadership.ts';
import { useDatabases, type TestStores } from '../../../../fixtures/service/database.ts';
import { newAccount, newJob, paid } from '../../../../fixtures/service/rows.ts';

const databases = useDatabases();
let stores: TestStores;
beforeAll(async () => {
  stores = await databases.freshStores();
});

const facts = (id: string, roles: ('api' | 'worker' | 'runner')[]) => ({
  id,
  host: id,
  version: '0.1.0',
  roles,
  labels: [],
  slots: 2,
  connections: 4,
  build: 'x',
  models: [],
});
const idle = { running: 0, load: 0 };

test('processes are counted by role and state, and machines that lack something apart', async () => {
  const { fleet, database } = stores;
  expect((await readFleetOverview(database)).processes).toEqual([]);
  await fleet.beat(facts('api', ['api']), idle);
  for (const id of ['one', 'two', 'gone']) await fleet.beat(facts(id, ['worker']), idle);
  await fleet.beat(facts('away', ['worker', 'runner']), idle);
  await fleet.setDraining('two', true);
  await sql`update workers set unfit = 'disk' where id in ('one', 'gone')`.execute(database.kysely);
  await sql`update workers set last_beat_at = clock_timestamp() - interval '10 s' where id = 'gone'`.execute(
    database.kysely,
  );
  const { processes, unfit } = await readFleetOverview(database);
  expect(processes.toSorted((a, b) => `${a.role}${a.state}`.localeCompare(`${b.role}${b.state}`))).toEqual([
    { role: 'api', state: 'running', count: 1 },
    { role: 'runner', state: 'running', count: 1 },
    { role: 'worker', state: 'draining', count: 1 },
    { role: 'worker', state: 'lost', count: 1 },
    { role: 'worker', state: 'running', count: 1 },
  ]);
  expect(unfit).toBe(1);
});

test('the oldest queued job of each class has an age, and so has the last housekeeping', async () => {
  const { database } = stores;
  expect((await readFleetOverview(database)).oldestQueuedSeconds).toEqual({ paid: 0, free: 0 });
  const { id } = await newAccount(stores, 100);
  const { job } = await stores.jobs.create(newJob(id, paid(1)));
  await stores.jobs.create(newJob(id, paid(1)));
  await sql`update jobs set created_at = clock_timestamp() - interval '90 s' where id = ${job.id}`.execute(
    database.kysely,
  );
  const { oldestQueuedSeconds } = await readFleetOverview(database);
  expect(oldestQueuedSeconds.free).toBe(0);
  expect(oldestQueuedSeconds.paid).toBeGreaterThanOrEqual(90);
  expect(oldestQueuedSeconds.paid).toBeLessThan(120);
  await createLeadership(database, 'one').noteRound('sweep');
  await sql`update housekeeping_rounds set ended_at = clock_timestamp() - interval '60 s'`.execute(database.kysely);
  const { sweep } = (await readFleetOverview(database)).housekeepingSeconds;
  expect(sweep).toBeGreaterThanOrEqual(60);
  expect(sweep).toBeLessThan(90);
});

test('what processes counted is summed up, and stays when they are gone', async () => {
  const { database, fleet } = stores;
  const counts = new AttemptCounts();
  counts.add('lost', 2);
  await noteCounts(database, 'one', counts);
  counts.add('lost');
  counts.add('crashed');
  await noteCounts(database, 'one', counts);
  counts.add('lost');
  await noteCounts(database, 'two', counts);
  const sums = { lost: 4, crashed: 1 };
  expect((await readFleetOverview(database)).counts).toEqual(sums);
  await fleet.leave('one');
  for (let round = 0; round < 2; round += 1) await foldCounts(database);
  expect((await readFleetOverview(database)).counts).toEqual(sums);
  expect((await sql`select from tallies where process = 'one'`.execute(database.kysely)).rows).toEqual([]);
});

// Which worker gets which job: pools, inputs at hand, promised models and versions, slots of free runs.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { createPostgresStores } from '../../../../src/service/adapters/postgres/stores.ts';
import { tidyFleet } from '../../../../src/service/adapters/postgres/fleet/fleet.ts';
import { claimTasks, claimWithin } from '../../../../src/service/adapters/queue/leases.ts';
import { suitedValues } from '../../../../src/service/adapters/queue/suited.ts';
import type { ClaimingWorker, WorkerFacts } from '../../../../src/service/rules/fleet/fleet.ts';
import type { JobClass, JobPick } from '../../../../src/service/rules/fleet/job-classes.ts';
import { readPools, toolsWithModels } from '../../../../src/service/rules/fleet/pools.ts';
import { createInputsAhead } from '../../../../src/service/rules/worker/inputs-ahead.ts';
import type { NewJob } from '../../../../src/service/rules/jobs/job-store.ts';
import { createLease, type TestStores, useDatabases } from '../../../fixtures/service/database.ts';
import { newAccount, newFile, newJob, paid } from '../../../fixtures/service/rows.ts';

const databases = useDatabases();
let stores: TestStores;
let accountId: string;
beforeEach(async () => {
  stores = await databases.freshStores();
  accountId = (await newAccount(stores, 1000)).id;
});

const oneJob: JobPick = { most: 1, only: null, first: 'paid' };
const pools = readPools('transcribe_audio=gpu');
const claiming = (facts: Partial<ClaimingWorker> = {}): ClaimingWorker => ({
  version: '1',
  labels: [],
  models: [],
  pools,
  modelTools: toolsWithModels,
  waitSeconds: 600,
  ...facts,
});

/** A worker that lives, with the job that it would take. */
async function worker(facts: Partial<WorkerFacts> = {}, running = 0) {
  const { version = '1', labels = [], models = [], slots = 1 } = facts;
  const lease = createLease(stores.database, { version, labels, models, slots, ...facts });
  await lease.start();
  await lease.stop();
  const { workerId: id } = lease;
  // Its row as of its last beat.
  await sql`insert into workers (id, host, version, roles, labels, models, slots, running)
    values (${id}, 'here', ${version}, '{worker}', ${[...labels]}::text[], ${[...models]}::text[], ${slots}, ${running})`.execute(
    stores.database.kysely,
  );
  const own = claiming({ version, labels, models });
  return {
    id,
    take: async (changes: Partial<ClaimingWorker> = {}, only: JobClass | null = null) =>
      (await claimTasks(stores.database, 'job', { ...oneJob, only }, id, suitedValues({ ...own, ...changes }))).map(
        ({ task }) => task,
      ),
    takeWithin: async (perOwner: number) =>
      (
        await stores.database.transaction((trx) => claimWithin(trx, 'job', perOwner, oneJob, id, suitedValues(own)))
      ).map(({ task }) => task),
  };
}

/** @param promised what took the order; null: an older version */
async function order(
  tool: NewJob['tool'],
  promised: { readonly version: string; readonly models: readonly string[] } | null = null,
  changes: Partial<NewJob> = {},
): Promise<string> {
  const { jobs } = createPostgresStores(
    stores.database,
    stores.enqueuer,
    promised === null ? null : { build: 'b', ...promised },
  );
  return (await jobs.create({ ...newJob(accountId, paid(1)), tool, ...changes })).job.id;
}

test('a pool has its jobs first, and others take them when it is busy or waits too long', async () => {
  const [gpu, plain] = [await worker({ labels: ['gpu'] }), await worker()];
  const speech = await order('transcribe_audio');
  expect(await plain.take()).toEqual([]);
  expect(await gpu.take()).toEqual([speech]);
  const cut = await order('cut_audio');
  // The machine without the label has a free slot.
  expect(await gpu.take()).toEqual([]);
  expect(await plain.take()).toEqual([cut]);

  await sql`update workers set running = slots`.execute(stores.database.kysely);
  const [more, moreCuts] = [await order('transcribe_audio'), await order('cut_audio')];
  expect([await plain.take(), await gpu.take()]).toEqual([[more], [moreCuts]]);

  await sql`update workers set running = 0`.execute(stores.database.kysely);
  const late = await order('transcribe_audio');
  expect(await plain.take()).toEqual([]);
  expect(await plain.take({ waitSeconds: 0 })).toEqual([late]);
  // No one of the pool is there.
  await sql`update workers set draining = true where id = ${gpu.id}`.execute(stores.database.kysely);
  const alone = await order('transcribe_audio');
  expect(await plain.take()).toEqual([alone]);
});

test('a machine that has the input is preferred, behind the pool', async () => {
  const [one, other, gpu] = [await worker(), await worker(), await worker({ labels: ['gpu'] })];
  const { fleet, database } = stores;
  await fleet.noteHeld(other.id, ['file_a', 'file_b', 'file_a']);
  const inputs = { file_id: ['file_a'] };
  const cut = await order('cut_audio', null, { inputs });
  expect(await one.take()).toEqual([]);
  expect(await other.take()).toEqual([cut]);
  const speech = await order('transcribe_audio', null, { inputs });
  expect([await one.take(), await other.take()]).toEqual([[], []]);
  expect(await gpu.take()).toEqual([speech]);
  await sql`delete from workers where id = ${other.id}`.execute(database.kysely);
  await tidyFleet(database);
  const { rows } = await sql`select from held_inputs`.execute(database.kysely);
  expect(rows).toEqual([]);
});

test('inputs of a waiting job are fetched while all slots are busy, and draw the job', async () => {
  const [one, other] = [await worker(), await worker()];
  const { fleet, files } = stores;
  const file = async (): Promise<string> => {
    const { file: made } = await files.create(
      newFile(accountId, { status: 'ready', objectKey: 'originals/1', sizeBytes: 5, upload: null }),
      null,
    );
    return made.id;
  };
  const [held, wanted] = [await file(), await file()];
  await fleet.noteHeld(other.id, [held]);
  await order('cut_audio', null, { inputs: { file_id: [held] } });
  const job = await order('cut_audio', null, { inputs: { file_id: [wanted] } });
  const fetched: string[] = [];
  const objects = {
    checkOut: (key: string) => {
      fetched.push(key);
      return Promise.resolve({ path: '', release: () => Promise.resolve() });
    },
  };
  let isBusy = false;
  const ahead = createInputsAhead({ fleet, files, objects }, one.id, () => isBusy);
  expect(await ahead()).toEqual([]);
  isBusy = true;
  expect(await ahead()).toEqual([wanted]);
  // Every waiting job has its inputs somewhere now.
  expect([await ahead(), fetched]).toEqual([[], ['originals/1']]);
  expect(await one.take()).toEqual([job]);
});

test('other models than promised are refused, and a job that no worker may run is not charged', async () => {
  const [right, wrong, more] = [
    await worker({ models: ['whisper-base'] }),
    await worker({ models: [] }),
    await worker({ models: ['parakeet', 'whisper-base'] }),
  ];
  const promised = { version: '1', models: ['whisper-base'] };
  const speech = await order('remove_fillers', promised);
  // However long it waits.
  expect([await wrong.take({ waitSeconds: 0 }), await more.take({ waitSeconds: 0 })]).toEqual([[], []]);
  expect(await right.take()).toEqual([speech]);
  const cut = await order('cut_audio', promised);
  expect(await wrong.take({ waitSeconds: 0 })).toEqual([cut]);

  const { fleet, jobs, accounts } = stores;
  const gone = await order('remove_fillers', { version: '1', models: ['no-longer-there'] });
  const fits = await order('remove_fillers', promised);
  expect(await fleet.failUnsuited(600)).toBe(0);
  expect(await fleet.failUnsuited(0)).toBe(1);
  expect(await jobs.get(gone)).toMatchObject({ status: 'failed', error: { code: 'tool_unavailable' } });
  expect(await jobs.get(fits)).toMatchObject({ status: 'queued' });
  expect(await accounts.get(accountId)).toMatchObject({ balance: 1000, reserved: 3 });
});

test('jobs stay with the version that took them while a worker of it lives, then go to the next one', async () => {
  const [old, fresh] = [await worker({ version: '1' }, 1), await worker({ version: '2' })];
  const job = await order('cut_audio', { version: '1', models: [] });
  expect(await fresh.take({ waitSeconds: 0 })).toEqual([]);
  await sql`update workers set draining = true where id = ${old.id}`.execute(stores.database.kysely);
  expect(await fresh.take({ waitSeconds: 0 })).toEqual([job]);
  const { jobs } = createPostgresStores(stores.database, stores.enqueuer, {
    version: '2',
    build: '2 linux-x64',
    models: ['whisper-base'],
  });
  await jobs.start(job, fresh.id, 3);
  const { rows } = await sql`select promised_version, build, models from jobs where id = ${job}`.execute(
    stores.database.kysely,
  );
  expect(rows).toEqual([{ promisedVersion: '1', build: '2 linux-x64', models: ['whisper-base'] }]);
});

test('slots of free runs take nothing else, and the limit of an account holds beside pools', async () => {
  const one = await worker();
  const [first, second] = [await order('cut_audio'), await order('cut_audio')];
  const free = await order('cut_audio', null, {
    decide: () => ({ free: true, windowSeconds: 60, price: 0 }),
  });
  expect(await one.take({}, 'free')).toEqual([free]);
  expect(await one.take({}, 'free')).toEqual([]);
  // The free run counts, too.
  expect(await one.takeWithin(2)).toEqual([first]);
  expect(await one.takeWithin(2)).toEqual([]);
  expect(await one.takeWithin(3)).toEqual([second]);
});

test('a list of pools is read, and what is none is refused', () => {
  expect(readPools(null)).toEqual({});
  expect(readPools(' transcribe_audio=gpu, cut_audio=cheap-2 ,')).toEqual({
    transcribe_audio: 'gpu',
    cut_audio: 'cheap-2',
  });
  for (const bad of ['gpu', 'sing=gpu', 'cut_audio=', 'cut_audio=a=b'])
    expect(() => readPools(bad)).toThrow(expect.objectContaining({ code: 'bad_request' }));
});

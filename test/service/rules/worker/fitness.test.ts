// A machine that lacks something hands its jobs back, uncounted, and takes none for a while.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { lacking, machineLacks } from '../../../../src/library/core/errors/machine-lacks.ts';
import { Fitness } from '../../../../src/service/rules/worker/fitness.ts';
import { createFleet } from '../../../../src/service/adapters/postgres/fleet/fleet.ts';
import { createProbe } from '../../../../src/service/rules/worker/probe.ts';
import { createRunFolders } from '../../../../src/service/rules/worker/run-folders.ts';
import type { Log } from '../../../../src/service/rules/shared/log.ts';
import { quietLog, useDatabases } from '../../../fixtures/service/database.ts';
import { sharedMedia } from '../../../fixtures/service/media.ts';
import { until } from '../../../fixtures/until.ts';
import { createHost, type Host } from '../host.ts';
import { slow } from '../../../fixtures/rounds.ts';

const databases = useDatabases();
const room = { reserve: () => Promise.resolve(() => undefined), hasRoom: () => Promise.resolve(true) };
const fullDisk = { reserve: () => Promise.resolve(null), hasRoom: () => Promise.resolve(false) };

/** A log that notes pauses. */
function pausesSaid(): { readonly pauses: number[]; readonly log: Log } {
  const pauses: number[] = [];
  const error = (fields: object): void => {
    if ('pauseSeconds' in fields) pauses.push(Number(fields.pauseSeconds));
  };
  return { pauses, log: { ...quietLog, error } };
}

it('pauses for a minute, doubles to eight, and a job that ends well clears it', () => {
  let now = 0;
  const fitness = new Fitness({ now: () => now });
  const { pauses, log } = pausesSaid();
  for (let count = 0; count < 5; count += 1) {
    expect(fitness.isHopeless).toBe(false);
    fitness.failed('disk', log);
    fitness.failed('disk', log);
    // What ran already says nothing.
    fitness.succeeded();
    expect([fitness.mayTake(), fitness.reason]).toEqual([false, 'disk']);
    now += 8 * 60_000;
    expect(fitness.mayTake()).toBe(true);
  }
  expect(pauses).toEqual([60, 120, 240, 480, 480]);
  expect(fitness.isHopeless).toBe(true);
  fitness.succeeded();
  expect([fitness.isHopeless, fitness.reason]).toEqual([false, null]);
  fitness.failed('disk', log);
  expect(pauses.at(-1)).toBe(60);
});

it('with a probe it takes jobs after the probe alone: at first, and after the pause of each failure', async () => {
  let now = 0;
  let lacks: string | null = 'installation';
  let probes = 0;
  const probe = async (): Promise<string | null> => {
    probes += 1;
    return lacks;
  };
  const fitness = new Fitness({ probe, now: () => now });
  const { pauses, log } = pausesSaid();
  expect(fitness.mayTake()).toBe(false);
  await Promise.all([fitness.prove(log), fitness.prove(log)]);
  expect([probes, fitness.mayTake(), fitness.reason, pauses]).toEqual([1, false, 'installation', [60]]);
  await fitness.prove(log);
  now += 60_000;
  expect([probes, fitness.mayTake()]).toEqual([1, false]);
  await fitness.prove(log);
  lacks = null;
  now += 119_000;
  await fitness.prove(log);
  expect([probes, pauses]).toEqual([2, [60, 120]]);
  now += 1000;
  await fitness.prove(log);
  expect([probes, fitness.mayTake()]).toEqual([3, true]);
  fitness.failed('process', log);
  now += 240_000;
  expect(fitness.mayTake()).toBe(false);
  await fitness.prove(log);
  expect([fitness.mayTake(), fitness.isHopeless, pauses]).toEqual([true, false, [60, 120, 240]]);
  fitness.succeeded();
  expect(fitness.reason).toBeNull();
});

it('a probe tries the disk, a process and the media parts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-probe-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const folders = createRunFolders(folder, 60);
  const media = sharedMedia({ modelsDir: folder, jobSlots: 1, maxJobMemoryBytes: 512 * 2 ** 20, maxJobSeconds: 60 });
  expect(await createProbe({ media, disk: room, folders })()).toBeNull();
  expect(await createProbe({ media, disk: fullDisk, folders })()).toBe('disk');
  const failing = (thrown: Error) =>
    createProbe({ media: { check: () => Promise.reject(thrown) }, disk: room, folders })();
  expect(await failing(Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' }))).toBe('disk');
  expect(await failing(new EarshotError('tool_unavailable', 'No kernels'))).toBe('installation');
  expect(await failing(new Error('spawn failed'))).toBe('process');
  const nowhere = { ...folders, make: () => Promise.reject(new Error('read-only file system')) };
  expect(await createProbe({ media, disk: room, folders: nowhere })()).toBe('disk');
  expect(readdirSync(folder)).toEqual([]);
});

it('knows what a machine lacks from an error, also across the border of a process', () => {
  const lackOf = (thrown: unknown) => machineLacks(EarshotError.fromJSON(EarshotError.from(thrown).toJSON()));
  expect(lackOf(Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' }))).toBe('disk');
  expect(lackOf(new EarshotError('internal_error', 'x', { details: { ffmpegCode: -28 } }))).toBe('disk');
  expect(lackOf(Object.assign(new Error("Cannot find package 'node-av'"), { code: 'ERR_MODULE_NOT_FOUND' }))).toBe(
    'installation',
  );
  expect(lackOf(new EarshotError('tool_unavailable', 'no such model'))).toBe('tool');
  // The limit of one job, and a job's own faults.
  expect(lackOf(Object.assign(new Error('too long'), { code: 'EFBIG', syscall: 'write' }))).toBeNull();
  expect(lackOf(new EarshotError('file_invalid', 'x'))).toBeNull();
});

const stateOf = async (host: Host, id: string) =>
  (
    await sql<{ status: string; spent: number; passedOn: boolean }>`
      select status, attempt - given_back as spent, unfit_since is not null as passed_on from jobs where id = ${id}`.execute(
      host.stores.database.kysely,
    )
  ).rows[0];

it.for(['full disk', 'broken installation'])('a machine with a %s hands its jobs back and fails none', async (what) => {
  await using host = await createHost(await databases.freshStores(), { EARSHOT_JOB_ATTEMPTS: '1' });
  const account = await host.account(100);
  const file = await host.file(account);
  const jobs = await Promise.all(Array.from({ length: 8 }, () => host.job(account, file, ['succeed'])));
  const fitness = new Fitness();
  const bad = host.makeWorker({
    fitness,
    disk: what === 'full disk' ? fullDisk : room,
    media: {
      ...host.media,
      run: () =>
        Promise.reject(new EarshotError('tool_unavailable', 'No kernels', { details: lacking('installation') })),
    },
  });
  await bad.start();
  await until('it takes none', () => !fitness.mayTake());
  await until('it gave all back', () => host.stores.queue.busy() === 0);
  for (const { id } of jobs) expect(await stateOf(host, id)).toMatchObject({ status: 'queued', spent: 0 });
  await bad.stop();
  await host.expectExact(account, 100);
});

it('a job that has no room here pauses no machine, and fails after a quarter of an hour', slow, async () => {
  await using host = await createHost(await databases.freshStores(), { EARSHOT_JOB_ATTEMPTS: '1' });
  const account = await host.account(100);
  const job = await host.job(account, await host.file(account), ['succeed']);
  const fitness = new Fitness();
  const worker = host.makeWorker({ fitness, disk: { ...fullDisk, hasRoom: () => Promise.resolve(true) } });
  await worker.start();
  await until('it was handed back', async () => (await stateOf(host, job.id))?.passedOn === true);
  expect([fitness.mayTake(), await stateOf(host, job.id)]).toEqual([
    true,
    { status: 'queued', spent: 0, passedOn: true },
  ]);
  await sql`update jobs set unfit_since = unfit_since - interval '16 minutes' where id = ${job.id}`.execute(
    host.stores.database.kysely,
  );
  await sql`update pgboss.job set start_after = created_on where singleton_key = ${job.id}`.execute(
    host.stores.database.kysely,
  );
  expect(await host.ended(job.id)).toMatchObject({
    status: 'failed',
    error: { code: 'internal_error', message: expect.stringContaining('not enough disk space') as string },
  });
  await worker.stop();
  await host.expectExact(account, 100);
});

it('a job waits as long as some machine was fit in the last quarter of an hour', async () => {
  await using host = await createHost(await databases.freshStores());
  const { kysely } = host.stores.database;
  const account = await host.account(100);
  const job = await host.job(account, await host.file(account), ['succeed']);
  const fleet = createFleet(host.stores.database, host.stores.enqueuer);
  const facts = {
    host: 'a',
    version: '1',
    roles: ['worker'],
    labels: [],
    connections: 1,
    build: 'x',
    models: [],
  } as const;
  await fleet.beat({ ...facts, id: 'bad', slots: 2 }, { running: 0, load: 0 });
  await sql`update workers set unfit = 'disk', unfit_since = clock_timestamp() - interval '16 minutes'`.execute(kysely);
  expect(await fleet.failPassedOn()).toBe(0);
  await sql`update jobs set unfit_since = clock_timestamp() - interval '16 minutes'`.execute(kysely);
  await fleet.beat({ ...facts, id: 'good', slots: 2 }, { running: 0, load: 0 });
  expect(await fleet.failPassedOn()).toBe(0);
  expect((await fleet.list()).map(({ id, unfit }) => [id, unfit])).toEqual([
    ['bad', 'disk'],
    ['good', null],
  ]);
  await fleet.leave('good');
  expect(await fleet.failPassedOn()).toBe(1);
  expect(await host.ended(job.id)).toMatchObject({ status: 'failed', error: { code: 'internal_error' } });
  await host.expectExact(account, 100);
});

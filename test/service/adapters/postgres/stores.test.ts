import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import type { NewJob } from '../../../../src/service/rules/jobs/job-store.ts';
import type { Terms } from '../../../../src/service/rules/accounts/free.ts';
import { useDatabases, type TestStores } from '../../../fixtures/service/database.ts';
import { day, hash, newAccount, newFile, newJob, paid, readAll } from '../../../fixtures/service/rows.ts';
import { until } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const databases = useDatabases();

let stores: TestStores;

beforeAll(async () => {
  stores = await databases.freshStores();
});

test('a job from creation to success: charged, outputs published, everything readable', async () => {
  const account = await newAccount(stores, 100);
  const { job, created } = await stores.jobs.create(newJob(account.id, { ...paid(7), windowSeconds: 12.5 }));
  expect(created).toBe(true);
  expect(job).toMatchObject({
    status: 'queued',
    stage: 'queued',
    price: 7,
    windowSeconds: 12.5,
    attempt: 0,
    options: { nested: { list: [1, 'two', null] } },
    inputs: { file_id: ['file_1'] },
  });
  expect(
    await stores.jobs.succeed(job.id, 0, {
      outputs: [],
      result: {},
      processedSeconds: 1,
      warnings: [],
      credits: Infinity,
    }),
  ).toBe(false);
  const started = await stores.jobs.start(job.id, 'worker', 3);
  expect(started).toMatchObject({ status: 'running', attempt: 1 });
  expect(
    await stores.heartbeat.report(job.id, 1, { progress: 0.5, stage: 'encoding', estimatedSecondsLeft: 3.5 }),
  ).toEqual({
    current: true,
    cancelRequested: false,
  });
  expect(await stores.heartbeat.report(job.id, 2, { progress: 0.9, stage: 'x', estimatedSecondsLeft: null })).toEqual({
    current: false,
    cancelRequested: false,
  });
  expect(await stores.jobs.get(job.id)).toMatchObject({ progress: 0.5, stage: 'encoding', estimatedSecondsLeft: 3.5 });
  const output = newFile(account.id, {
    kind: 'output',
    status: 'ready',
    objectKey: 'out/1',
    sourceJobId: job.id,
    media: { codec: 'flac', sampleRate: 48000, channels: 2, width: null, height: null },
  });
  expect(
    await stores.jobs.succeed(job.id, 1, {
      outputs: [output],
      result: { lufs: -16.02 },
      processedSeconds: 5.01,
      warnings: [],
      credits: Infinity,
    }),
  ).toBe(true);
  expect(
    await stores.jobs.succeed(job.id, 1, {
      outputs: [],
      result: {},
      processedSeconds: 1,
      warnings: [],
      credits: Infinity,
    }),
  ).toBe(false);
  expect(await stores.jobs.fail(job.id, 1, { code: 'internal_error', message: 'x' })).toBe(false);
  expect(await stores.jobs.get(job.id)).toMatchObject({
    status: 'succeeded',
    progress: 1,
    result: { lufs: -16.02 },
    processedSeconds: 5.01,
    outputFileIds: [output.id],
    error: null,
    estimatedSecondsLeft: null,
  });
  expect(await stores.files.get(output.id)).toMatchObject({
    sourceJobId: job.id,
    media: { codec: 'flac', sampleRate: 48000 },
    sizeBytes: 5_368_709_120,
  });
  expect(await stores.accounts.get(account.id)).toMatchObject({ balance: 93, reserved: 0 });
  await expect(stores.jobs.requestCancel(job.id)).rejects.toMatchObject({ code: 'job_not_cancellable' });
  await expect(stores.jobs.requestCancel('job_missing')).rejects.toMatchObject({ code: 'not_found' });
  expect(await stores.jobs.get('job_missing')).toBeNull();
});

test('cancelling: at once while queued, by request while running, and then nobody is charged', async () => {
  const account = await newAccount(stores, 100);
  const queued = await stores.jobs.create(newJob(account.id, paid(10)));
  expect(await stores.jobs.requestCancel(queued.job.id)).toMatchObject({ status: 'cancelled' });
  expect(await stores.jobs.start(queued.job.id, 'worker', 3)).toBeNull();
  const { job } = await stores.jobs.create(newJob(account.id, paid(10)));
  await stores.jobs.start(job.id, 'worker', 3);
  expect(await stores.jobs.requestCancel(job.id)).toMatchObject({ status: 'running', cancelRequested: true });
  expect(await stores.jobs.requestCancel(job.id)).toMatchObject({ status: 'running', cancelRequested: true });
  expect(await stores.heartbeat.cancelRequested([job.id, queued.job.id])).toEqual([job.id]);
  expect(await stores.heartbeat.report(job.id, 1, { progress: 0.5, stage: 'x', estimatedSecondsLeft: null })).toEqual({
    current: true,
    cancelRequested: true,
  });
  expect(
    await stores.jobs.succeed(job.id, 1, {
      outputs: [newFile(account.id)],
      result: {},
      processedSeconds: 1,
      warnings: [],
      credits: Infinity,
    }),
  ).toBe(false);
  expect(await stores.jobs.get(job.id)).toMatchObject({ status: 'cancelled', outputFileIds: [] });
  expect(await stores.accounts.get(account.id)).toMatchObject({ balance: 100, reserved: 0 });
});

test('what a tool answered is in the record, and in lists as far as it is short', async () => {
  const account = await newAccount(stores, 100);
  const measured = { gainDb: -3.25, input: { integratedLufs: -20 }, speakers: [1, null] };
  const noise = Array.from({ length: 4000 }, (_, index) => ((index * 7919) % 10_007) / 10_007);
  const answers = { short: measured, long: { noise } };
  for (const result of Object.values(answers)) {
    const { job } = await stores.jobs.create(newJob(account.id, paid(1)));
    expect((await stores.jobs.getSummary(job.id))?.result).toBeNull();
    await stores.jobs.start(job.id, 'worker', 3);
    await stores.jobs.succeed(job.id, 1, { outputs: [], result, processedSeconds: 1, warnings: [], credits: 1 });
    expect((await stores.jobs.getSummary(job.id))?.result).toEqual(result);
    expect((await stores.jobs.get(job.id))?.result).toEqual(result);
  }
  const { items } = await stores.jobs.list(account.id, { tool: null }, { cursor: null, limit: 10 });
  expect(items.map(({ result }) => result)).toEqual([null, measured]);
});

test('a death beside others spends nothing, and after two of them the job has to run alone', async () => {
  const account = await newAccount(stores, 100);
  const create = async (): Promise<string> => (await stores.jobs.create(newJob(account.id, paid(10)))).job.id;
  const [one, other] = [await create(), await create()];
  const fresh = { alone: false, attempt: 0, death: null };
  for (const id of [one, other]) expect(await stores.jobs.turn(id, 'first')).toEqual(fresh);
  for (const [dead, next] of [
    ['first', 'second'],
    ['second', 'third'],
  ] as const) {
    for (const id of [one, other]) expect(await stores.jobs.start(id, dead, 1)).toMatchObject({ status: 'running' });
    // At the same time, as the queue delivers them.
    const turns = await Promise.all([one, other].map((id) => stores.jobs.turn(id, next)));
    for (const turn of turns) expect(turn?.death).toEqual({ workerId: dead, reason: 'workerGone', shared: true });
    expect(turns.map((turn) => turn?.alone)).toEqual(Array(2).fill(next === 'third'));
    // Written down once.
    expect((await stores.jobs.turn(one, next))?.death).toBeNull();
    expect(await stores.jobs.get(one)).toMatchObject({ status: 'queued', stage: 'queued', progress: 0 });
  }
  // What runs alone beside one that should not be there is still taken to be alone.
  for (const id of [one, other]) await stores.jobs.start(id, 'third', 1);
  expect(await stores.jobs.turn(one, 'fourth')).toMatchObject({ death: { workerId: 'third', shared: false } });
  // Nobody has said that its process crashed: the attempt is given back, as before.
  expect(await stores.jobs.start(one, 'fourth', 1)).toMatchObject({ status: 'running' });
  await stores.jobs.cancel(one, 4);
  expect(await stores.jobs.turn(one, 'fourth')).toBeNull();
  // One that is to be cancelled does not wait for its turn.
  await stores.jobs.requestCancel(other);
  expect(await stores.jobs.turn(other, 'fourth')).toBeNull();
  expect((await stores.jobs.get(other))?.status).toBe('cancelled');
  expect(await stores.accounts.get(account.id)).toMatchObject({ balance: 100, reserved: 0 });
});

test('cut cables cost a job nothing, ten times; its worker lives and did not die of it', async () => {
  const account = await newAccount(stores, 100);
  const { job } = await stores.jobs.create(newJob(account.id, paid(10)));
  // Workers that are back when others have their job.
  await sql`insert into workers (id, host, version, roles, labels, slots)
    select 'back ' || n, 'there', '1', '{worker}', '{}', 1 from generate_series(0, 10) n`.execute(
    stores.database.kysely,
  );
  for (let n = 0; n < 10; n += 1) {
    expect(await stores.jobs.start(job.id, `back ${n}`, 1)).toMatchObject({ status: 'running', attempt: n + 1 });
    const turn = await stores.jobs.turn(job.id, `back ${n + 1}`);
    expect(turn).toMatchObject({ alone: false, death: { workerId: `back ${n}`, reason: 'leaseLost' } });
  }
  const { rows } = await sql`select from worker_deaths where job_id = ${job.id}`.execute(stores.database.kysely);
  expect(rows).toEqual([]);
  expect(await stores.jobs.start(job.id, 'back 10', 1)).toBeNull();
  expect((await stores.jobs.get(job.id))?.error?.message).toContain('was cut off from the database 10 times');
  expect(await stores.accounts.get(account.id)).toMatchObject({ balance: 100, reserved: 0 });
  // The same bytes and options of somebody else.
  const other = await newAccount(stores, 100);
  const { job: same } = await stores.jobs.create(newJob(other.id, paid(10)));
  expect(await stores.jobs.start(same.id, 'back 1', 1)).toMatchObject({ status: 'running', attempt: 1 });
});

test('a job that somebody else has started meanwhile is left to them', async () => {
  const account = await newAccount(stores, 100);
  const { job } = await stores.jobs.create(newJob(account.id, paid(10)));
  expect(await stores.jobs.start(job.id, 'first', 3, 0)).toMatchObject({ attempt: 1 });
  expect(await stores.jobs.start(job.id, 'second', 3, 0)).toBeNull();
  expect(await stores.jobs.get(job.id)).toMatchObject({ status: 'running', attempt: 1 });
});

test('a worker that keeps dying uses up the attempts; one that gives back does not', async () => {
  const account = await newAccount(stores, 100);
  const { job } = await stores.jobs.create(newJob(account.id, paid(10)));
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect(await stores.jobs.start(job.id, 'worker', 2)).toMatchObject({ attempt });
    if (attempt === 1) {
      expect(await stores.jobs.requeue(job.id, 1)).toBe(true);
      expect(await stores.jobs.requeue(job.id, 1)).toBe(false);
      expect(await stores.jobs.get(job.id)).toMatchObject({ status: 'queued', attempt: 1 });
    }
  }
  expect(
    await stores.jobs.succeed(job.id, 2, {
      outputs: [],
      result: {},
      processedSeconds: 1,
      warnings: [],
      credits: Infinity,
    }),
  ).toBe(false);
  expect(await stores.jobs.start(job.id, 'worker', 2)).toBeNull();
  expect(await stores.jobs.get(job.id)).toMatchObject({
    status: 'failed',
    error: { code: 'internal_error', message: "The job's process crashed 2 times" },
  });
  expect(await stores.accounts.get(account.id)).toMatchObject({ balance: 100, reserved: 0 });
});

test('free uses are counted by subject, day and tool, and given back by failure and cancel', async () => {
  const free: Terms = { free: true, windowSeconds: 60, price: 0 };
  const seen: number[] = [];
  const create = (more: Partial<NewJob> = {}): ReturnType<TestStores['jobs']['create']> =>
    stores.jobs.create(
      newJob(null, free, {
        freeSubject: { id: 'somewhere', day },
        decide: ({ freeUsesTaken, availableCredits }) => {
          seen.push(freeUsesTaken);
          expect(availableCredits).toBe(0);
          return free;
        },
        ...more,
      }),
    );
  const [one, two] = [await create(), await create()];
  await create({ tool: 'convert_audio' });
  await create({ freeSubject: { id: 'somewhere', day: '2026-11-22' } });
  expect(await stores.freeUses.taken({ id: 'somewhere', day })).toEqual({ remove_noise: 2, convert_audio: 1 });
  await stores.jobs.requestCancel(one.job.id);
  await stores.jobs.start(two.job.id, 'worker', 3);
  await stores.jobs.fail(two.job.id, 1, { code: 'no_audio', message: 'There is no sound' });
  expect(await stores.freeUses.taken({ id: 'somewhere', day })).toEqual({ remove_noise: 0, convert_audio: 1 });
  expect(seen).toEqual([0, 1, 0, 0]);
  await expect(create({ decide: () => paid(1) })).rejects.toMatchObject({ code: 'insufficient_balance' });
  // Ten at once see ten different counts.
  seen.length = 0;
  await Promise.all(Array.from({ length: 10 }, () => create({ freeSubject: { id: 'crowd', day } })));
  expect(seen.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('idempotency: one job however often and however concurrently it is asked for', async () => {
  const account = await newAccount(stores, 100);
  const idempotency = { key: 'again', requestHash: hash('a') };
  expect(await stores.jobs.findByIdempotency(account.id, idempotency)).toBeNull();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => stores.jobs.create(newJob(account.id, paid(10), { idempotency }))),
  );
  expect(new Set(answers.map(({ job }) => job.id)).size).toBe(1);
  expect(answers.filter(({ created }) => created)).toHaveLength(1);
  expect(await stores.accounts.get(account.id)).toMatchObject({ balance: 100, reserved: 10 });
  expect((await stores.jobs.findByIdempotency(account.id, idempotency))?.id).toBe(answers[0]?.job.id);
  const other = { key: 'again', requestHash: hash('b') };
  await expect(stores.jobs.create(newJob(account.id, paid(10), { idempotency: other }))).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
  await expect(stores.jobs.findByIdempotency(account.id, other)).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
  // A refused request leaves its key free.
  const refused = { key: 'refused', requestHash: hash('c') };
  await expect(stores.jobs.create(newJob(account.id, paid(1000), { idempotency: refused }))).rejects.toMatchObject({
    code: 'insufficient_balance',
  });
  expect((await stores.jobs.create(newJob(account.id, paid(5), { idempotency: refused }))).created).toBe(true);
  // Files have keys of their own.
  const files = await Promise.all(
    Array.from({ length: 8 }, () => stores.files.create(newFile(account.id), idempotency)),
  );
  expect(new Set(files.map(({ file }) => file.id)).size).toBe(1);
  await expect(stores.files.create(newFile(account.id), other)).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
  await stores.files.remove([files[0]!.file.id]);
  expect((await stores.files.create(newFile(account.id), other)).created).toBe(true);
});

test('lists: newest first, filtered, without gaps or repeats, and only with our cursors', async () => {
  const account = await newAccount(stores, 100);
  const ids: string[] = [];
  for (let n = 0; n < 7; n += 1)
    ids.unshift(
      (await stores.jobs.create(newJob(account.id, paid(1), { tool: n % 2 === 0 ? 'remove_noise' : 'cut_audio' }))).job
        .id,
    );
  // What a burst looks like: many rows of one instant.
  await sql`update jobs set created_at = '2026-11-21T10:00:00.123456Z' where account_id = ${account.id}`.execute(
    stores.database.kysely,
  );
  const listed = await readAll((cursor) => stores.jobs.list(account.id, { tool: null }, { cursor, limit: 3 }));
  expect(listed.map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
  expect(
    await readAll((cursor) => stores.jobs.list(account.id, { tool: 'cut_audio' }, { cursor, limit: 2 })),
  ).toHaveLength(3);
  const files: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    // A fast machine makes two within a millisecond; then their ids, which are random, decide.
    const createdAt = new Date(Date.now() + n);
    const file = newFile(account.id, { kind: n % 2 === 0 ? 'original' : 'output', createdAt });
    files.unshift((await stores.files.create(file, null)).file.id);
  }
  await stores.files.update(files[0]!, ['awaiting_upload'], { status: 'deleted' });
  expect(
    (
      await readAll((cursor) => stores.files.list(account.id, { kind: null, at: new Date(0) }, { cursor, limit: 1 }))
    ).map(({ id }) => id),
  ).toEqual(files.slice(1));
  expect(
    (
      await readAll((cursor) =>
        stores.files.list(account.id, { kind: 'output', at: new Date(0) }, { cursor, limit: 1 }),
      )
    ).map(({ id }) => id),
  ).toEqual([files[1], files[3]]);
  // Expired is expired, whether or not it was swept.
  const { expiresAt } = (await stores.files.get(files[1]!))!;
  const late = await stores.files.list(account.id, { kind: null, at: expiresAt }, { cursor: null, limit: 9 });
  expect(late.items.every((file) => file.expiresAt > expiresAt)).toBe(true);
  expect(late.items.map(({ id }) => id)).not.toContain(files[1]);
  for (const cursor of [
    '',
    'x',
    'MTIz',
    Buffer.from('1.job_1; drop table').toString('base64url'),
    Buffer.from(`${'9'.repeat(16)}.job_1`).toString('base64url'),
    `${(await stores.jobs.list(account.id, { tool: null }, { cursor: null, limit: 1 })).nextCursor}=`,
  ])
    await expect(stores.jobs.list(account.id, { tool: null }, { cursor, limit: 3 })).rejects.toMatchObject({
      code: 'bad_request',
      details: { field: 'cursor' },
    });
});

test('settings are made once, whoever comes first', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => stores.settings.getOrCreate('secret', () => `value ${n}`)),
  );
  expect(new Set(answers).size).toBe(1);
  expect(await stores.settings.getOrCreate('secret', () => 'another')).toBe(answers[0]);
});

test('changes: woken by a commit anywhere, by nothing else, and never for longer than asked', slow, async () => {
  const account = await newAccount(stores, 10);
  const { file } = await stores.files.create(newFile(account.id), null);
  const { kysely } = stores.database;
  const listeners = async (): Promise<readonly number[]> =>
    (
      await sql<{ pid: number }>`
        select pid from pg_stat_activity
        where application_name = 'earshot-changes' and datname = current_database() and query like 'listen%' and state = 'idle'
      `.execute(kysely)
    ).rows.map(({ pid }) => pid);
  await stores.changes.next('file_warm', 1);
  await until('it listens', async () => (await listeners()).length === 1);
  // Time passes only where it is told to, so what ends without it was woken.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const ended: string[] = [];
    const wait = (name: string, ...how: Parameters<typeof stores.changes.next>): Promise<unknown> =>
      stores.changes.next(...how).then(() => ended.push(name));
    const idle = wait('idle', 'file_other', 900);
    const woken = wait('woken', file.id, 900);
    await stores.files.update(file.id, ['awaiting_upload'], { status: 'processing' });
    await woken;
    const abort = new AbortController();
    const aborted = wait('aborted', file.id, 900, abort.signal);
    abort.abort();
    await aborted;
    await vi.advanceTimersByTimeAsync(899);
    expect(ended).toEqual(['woken', 'aborted']);
    await vi.advanceTimersByTimeAsync(1);
    await idle;
    const long = wait('long', file.id, 40_000);
    await vi.advanceTimersByTimeAsync(1000);
    await long;
    // The listening connection is cut: waiting goes on, and comes back to life.
    const before = await listeners();
    await sql`select pg_terminate_backend(${before[0]}::int)`.execute(kysely);
    await until('it listens again', async () => {
      await vi.advanceTimersByTimeAsync(100);
      return (await listeners()).some((pid) => !before.includes(pid));
    });
    const again = wait('again', account.id, 900);
    await sql`select pg_notify('earshot_changes', ${account.id})`.execute(kysely);
    await again;
  } finally {
    vi.useRealTimers();
  }
});

test('what the database refuses leaves the store as an EarshotError without its inner words', async () => {
  await expect(stores.files.create(newFile('acc_missing'), null)).rejects.toMatchObject({
    name: 'EarshotError',
    code: 'internal_error',
    message: 'The database refused the operation',
  });
});

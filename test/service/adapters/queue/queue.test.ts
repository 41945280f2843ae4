import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkQueue } from '../../../../src/service/adapters/queue/work-queue.ts';
import { reenqueueLost, removeStale } from '../../../../src/service/adapters/postgres/housekeeping.ts';
import { tallyEndedJobs } from '../../../../src/service/adapters/postgres/jobs/job-counts.ts';
import { newId } from '../../../../src/service/rules/shared/ids.ts';
import type { WorkQueue } from '../../../../src/service/rules/worker/work-queue.ts';
import { createLease, useDatabases, type TestStores } from '../../../fixtures/service/database.ts';
import { newAccount, newFile, newJob, paid } from '../../../fixtures/service/rows.ts';
import { until } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const databases = useDatabases();
let stores: TestStores;
const queues: WorkQueue[] = [];
const spies: { mockRestore(): void }[] = [];
const unwatched = pg.Client.prototype.query as (...args: unknown[]) => unknown;

beforeEach(async () => {
  stores = await databases.freshStores();
});
afterEach(async () => {
  for (const spy of spies.splice(0)) spy.mockRestore();
  await Promise.all(queues.splice(0).map((queue) => queue.stop(0)));
});

function worker(): WorkQueue {
  const queue = createWorkQueue(stores.database, createLease(stores.database));
  queues.push(queue);
  return queue;
}

async function createJob(accountId: string): Promise<string> {
  const { job } = await stores.jobs.create(newJob(accountId, paid(1)));
  return job.id;
}

/** A worker that never looks by itself: what it starts, a notification started. */
async function workerThatIsTold(slots: number, handler: (id: string) => Promise<void>): Promise<void> {
  const interval = vi.spyOn(globalThis, 'setInterval').mockImplementation(() => setTimeout(() => undefined).unref());
  try {
    await worker().work('job', slots, handler);
  } finally {
    interval.mockRestore();
  }
}

const richAccount = async (): Promise<string> => (await newAccount(stores, 10_000)).id;

/** Texts of what is asked of any database from now on. */
function countStatements(): () => readonly string[] {
  const seen: string[] = [];
  const query = vi.spyOn(pg.Client.prototype, 'query');
  query.mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    seen.push(typeof first === 'string' ? first : ((first as { text?: string }).text ?? ''));
    return Reflect.apply(unwatched, this, args);
  });
  spies.push(query);
  return () => seen;
}

test('a task starts at its commit and not at the next look, one after the other without pauses', slow, async () => {
  const account = await richAccount();
  const started = new Map<string, number>();
  await workerThatIsTold(2, async (id) => {
    started.set(id, performance.now());
  });
  await until('it listens', async () => {
    await createJob(account);
    return started.size > 0;
  });
  const latencies: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const id = await createJob(account);
    const committed = performance.now();
    await until('it has started', () => started.has(id));
    latencies.push((started.get(id) ?? 0) - committed);
  }
  latencies.sort((a, b) => a - b);
  console.log(
    `queue: from commit to start, median ${latencies[10]?.toFixed(1)} ms, slowest ${latencies[19]?.toFixed(1)} ms`,
  );
  const began = performance.now();
  const ids = await Promise.all(Array.from({ length: 60 }, () => createJob(account)));
  await until('all have started', () => ids.every((id) => started.has(id)));
  console.log(`queue: 60 jobs created and run by 2 slots in ${Math.round(performance.now() - began)} ms`);
  await until('the queue is empty', async () => (await stores.queue.depth()).job === 0);
});

test('an idle worker asks its database less than ten times a second', slow, async () => {
  const queue = worker();
  const slots = { check: 2, import: 4, job: 2, peaks: 1, order: 1, deliver: 4 } as const;
  for (const kind of Object.keys(slots) as (keyof typeof slots)[]) await queue.work(kind, slots[kind], async () => {});
  // All connections are of this process; the database's own count comes up to ten seconds late.
  await sleep(1500);
  const statements = countStatements();
  const began = performance.now();
  await sleep(6000);
  const perSecond = (1000 * statements().length) / (performance.now() - began);
  console.log(`queue: ${perSecond.toFixed(1)} statements a second while nothing is to be done`);
  expect(perSecond).toBeGreaterThan(1);
  expect(perSecond).toBeLessThan(10);
});

test('however many slots wait, a task costs no more than three looks into the queue', async () => {
  const account = await richAccount();
  const done: string[] = [];
  await workerThatIsTold(32, async (id) => {
    done.push(id);
  });
  await until('it listens', async () => {
    await createJob(account);
    return done.length > 0;
  });
  await until('the queue is empty', async () => (await stores.queue.depth()).job === 0);
  await sleep(200);
  const statements = countStatements();
  const before = done.length;
  for (let n = 0; n < 10; n += 1) {
    const id = await createJob(account);
    await until('it is done', () => done.includes(id));
  }
  const looks = statements().filter((text) => text.includes('of entry skip locked'));
  console.log(`queue: ${looks.length} looks for ${done.length - before} tasks, one after the other`);
  expect(looks.length).toBeGreaterThanOrEqual(10);
  // One finds it, one finds no more.
  expect(looks.length).toBeLessThanOrEqual(30);
});

test('as many tasks run at once as there are slots, and no more, again and again', slow, async () => {
  const account = await richAccount();
  let ends: (() => void)[] = [];
  let done = 0;
  await worker().work('job', 3, async () => {
    await new Promise<void>((end) => ends.push(end));
    done += 1;
  });
  for (let round = 1; round <= 3; round += 1) {
    await Promise.all(Array.from({ length: 6 }, () => createJob(account)));
    for (const three of [1, 2]) {
      await until('three run', () => ends.length === 3);
      await sleep(100);
      expect(ends).toHaveLength(3);
      for (const end of ends) end();
      ends = [];
      await until('all of the round are done', () => done === 6 * (round - 1) + 3 * three);
    }
    // Slots that are not needed have closed, and open again in the next round.
    await sleep(100);
  }
});

test(
  'fair sharing: a newcomer goes before another account’s hundredth job; one account’s jobs keep order',
  slow,
  async () => {
    const [busy, newcomer, third] = [await richAccount(), await richAccount(), await richAccount()];
    const owner = new Map<string, string>();
    const create = async (account: string, name: string): Promise<void> => {
      owner.set(await createJob(account), name);
    };
    for (let n = 0; n < 30; n += 1) await create(busy, `busy ${n}`);
    const order: string[] = [];
    let more: (() => Promise<void>) | undefined = async () => {
      for (let n = 0; n < 3; n += 1) await create(newcomer, `newcomer ${n}`);
      await create(third, 'third 0');
      await create(busy, 'busy 30');
    };
    await worker().work('job', 1, async (id) => {
      await stores.jobs.start(id, 'worker', 3);
      order.push(owner.get(id) ?? id);
      const then = order.length === 10 ? more : undefined;
      if (then !== undefined) more = undefined;
      await then?.();
      await stores.jobs.succeed(id, 1, {
        outputs: [],
        result: {},
        processedSeconds: 1,
        warnings: [],
        credits: Infinity,
      });
    });
    await until('all 35 came', () => order.length === 35);
    const busyOnes = order.filter((name) => name.startsWith('busy'));
    expect(busyOnes).toEqual(Array.from({ length: 31 }, (_, n) => `busy ${n}`));
    // They came after ten of the thirty; each takes turns with the busy one from then on.
    expect(order.indexOf('newcomer 0')).toBeLessThanOrEqual(13);
    expect(order.indexOf('third 0')).toBeLessThanOrEqual(14);
    expect(order.indexOf('newcomer 2')).toBeLessThanOrEqual(20);
    expect(order.indexOf('newcomer 0')).toBeLessThan(order.indexOf('newcomer 1'));
  },
);

test('lost entries are put back: jobs, checks, imports and peaks, each once', async () => {
  const account = await richAccount();
  const id = await createJob(account);
  const cancelled = await createJob(account);
  await stores.jobs.requestCancel(cancelled);
  const { file: checked } = await stores.files.create(
    newFile(account, { status: 'processing', objectKey: 'in/1' }),
    null,
  );
  const { file: imported } = await stores.files.create(
    newFile(account, { status: 'processing', upload: { mode: 'import', partSizeBytes: null, partCount: null } }),
    null,
  );
  const { file: drawn } = await stores.files.create(newFile(account, { status: 'ready', objectKey: 'in/2' }), null);
  await stores.files.requestPeaks(drawn.id);
  await stores.files.create(newFile(account), null);
  await sql`delete from pgboss.job`.execute(stores.database.kysely);
  const counts = await Promise.all([
    reenqueueLost(stores.database, stores.enqueuer),
    reenqueueLost(stores.database, stores.enqueuer),
  ]);
  expect(Math.max(...counts)).toBe(4);
  expect(await reenqueueLost(stores.database, stores.enqueuer)).toBe(0);
  expect(await stores.queue.depth()).toMatchObject({ job: 1, check: 1, import: 1, peaks: 1, order: 0, deliver: 0 });
  const seen: string[] = [];
  const queue = worker();
  for (const kind of ['job', 'check', 'import', 'peaks'] as const)
    await queue.work(kind, 1, async (task) => {
      seen.push(`${kind} ${task}`);
    });
  await until('four came', () => seen.length === 4);
  expect(seen.sort()).toEqual([`check ${checked.id}`, `import ${imported.id}`, `job ${id}`, `peaks ${drawn.id}`]);
});

const keptLong = { jobRowDays: 365, idempotencyDays: 30 };

test('what is over is removed: sessions and old free uses', async () => {
  const account = await richAccount();
  const now = new Date('2026-11-21T12:00:00Z');
  await stores.accounts.addSession({ hash: 'over', accountId: account, expiresAt: now });
  await stores.accounts.addSession({ hash: 'open', accountId: account, expiresAt: new Date(now.getTime() + 1) });
  await sql`insert into free_uses values ('a', '2026-11-13', 'cut_audio', 1), ('a', '2026-11-14', 'cut_audio', 2)`.execute(
    stores.database.kysely,
  );
  await removeStale(stores.database, now, {
    retentionSeconds: 86_400,
    freeRetentionSeconds: 86_400,
    ...keptLong,
  });
  expect((await sql`select hash from sessions`.execute(stores.database.kysely)).rows).toEqual([{ hash: 'open' }]);
  expect(await stores.freeUses.taken({ id: 'a', day: '2026-11-14' })).toEqual({ cut_audio: 2 });
  expect(await stores.freeUses.taken({ id: 'a', day: '2026-11-13' })).toEqual({});
});

test('what an ended job was given and answered goes when its files go; its state, price and key stay', async () => {
  const account = await richAccount();
  const create = async (): Promise<string> => {
    const { job } = await stores.jobs.create({
      id: newId('job'),
      accountId: account,
      freeSubject: { id: account, day: '2026-11-21' },
      tool: 'align_script',
      inputs: { file_id: ['file_1'] },
      options: { script: 'What they said' },
      idempotency: { key: newId('job'), requestHash: 'x' },
      billing: { seconds: 60, creditsPerMinute: 1 },
      decide: () => ({ free: false, windowSeconds: null, price: 3 }),
    });
    return job.id;
  };
  const [ended, running, queued] = [await create(), await create(), await create()];
  for (const id of [ended, running]) await stores.jobs.start(id, 'worker', 3);
  expect(
    await stores.jobs.succeed(ended, 1, {
      outputs: [],
      result: { text: 'What they said' },
      processedSeconds: 2,
      warnings: [],
      credits: Infinity,
    }),
  ).toBe(true);
  const contents = async (): Promise<unknown[]> =>
    Promise.all(
      [ended, running, queued].map(async (id) =>
        (({ options, result }) => ({ options, result }))((await stores.jobs.get(id))!),
      ),
    );
  const before = await contents();
  await removeStale(stores.database, new Date(Date.now() + 3_500_000), {
    retentionSeconds: 3600,
    freeRetentionSeconds: 3600,
    ...keptLong,
  });
  expect(await contents()).toEqual(before);
  await removeStale(stores.database, new Date(Date.now() + 3_700_000), {
    retentionSeconds: 3600,
    freeRetentionSeconds: 3600,
    ...keptLong,
  });
  expect(await contents()).toEqual([{ options: {}, result: null }, ...before.slice(1)]);
  expect(await stores.jobs.get(ended)).toMatchObject({
    status: 'succeeded',
    price: 3,
    processedSeconds: 2,
    inputs: { file_id: ['file_1'] },
  });
  expect((await sql<{ count: number }>`select count(*) from idempotency`.execute(stores.database.kysely)).rows).toEqual(
    [{ count: 3 }],
  );
});

test('rows that nobody needs go after their time, and the ledger stays', async () => {
  const account = await richAccount();
  const create = async (key: string): Promise<string> =>
    (await stores.jobs.create({ ...newJob(account, paid(3)), idempotency: { key, requestHash: 'x' } })).job.id;
  const [old, young, running] = [await create('old'), await create('young'), await create('running')];
  for (const id of [old, young, running]) await stores.jobs.start(id, 'worker', 3);
  const success = { outputs: [], result: {}, processedSeconds: 60, warnings: [], credits: 3 };
  for (const id of [old, young]) expect(await stores.jobs.succeed(id, 1, success)).toBe(true);
  const { kysely } = stores.database;
  const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
  const counted = { succeeded: 2, running: 1, queued: 0 };
  expect(await stores.jobs.counts()).toMatchObject(counted);
  await sql`update jobs set finished_at = clock_timestamp() - interval '3 minutes' where finished_at is not null`.execute(
    kysely,
  );
  await sql`update ended_jobs set until = clock_timestamp() - interval '4 minutes'`.execute(kysely);
  await Promise.all([tallyEndedJobs(stores.database), tallyEndedJobs(stores.database)]);
  expect(await stores.jobs.counts()).toMatchObject(counted);
  await sql`update jobs set finished_at = ${daysAgo(366)} where id = ${old}`.execute(kysely);
  await sql`update idempotency set created_at = ${daysAgo(31)} where key = 'old'`.execute(kysely);
  const rules = { retentionSeconds: 86_400, freeRetentionSeconds: 86_400, ...keptLong };
  await removeStale(stores.database, new Date(), { ...rules, jobRowDays: 367, idempotencyDays: 32 });
  expect(await stores.jobs.get(old)).not.toBeNull();
  await removeStale(stores.database, new Date(), rules);
  expect([await stores.jobs.get(old), (await stores.jobs.get(young))?.id]).toEqual([null, young]);
  const keys = await sql<{ key: string }>`select key from idempotency order by key`.execute(kysely);
  expect(keys.rows.map(({ key }) => key)).toEqual(['running', 'young']);
  const { items } = await stores.ledger.list(account, { cursor: null, limit: 100 }, false);
  expect(items.filter(({ jobId }) => jobId === old).map(({ kind }) => kind)).toEqual(['charge', 'reserve']);
  const { rows } = await sql<{ sum: number; balance: number; reserved: number }>`
    select (select sum(credits)::int from ledger where account_id = ${account}) as sum, balance, reserved
    from accounts where id = ${account}`.execute(kysely);
  expect(rows[0]?.sum).toBe(rows[0]?.balance);
  expect(rows[0]?.reserved).toBe(3);
  // Counted for good: what goes is not missed, and what ends is added.
  await stores.jobs.succeed(running, 1, success);
  expect(await stores.jobs.counts()).toMatchObject({ succeeded: 3, running: 0 });
  await tallyEndedJobs(stores.database);
  expect(await stores.jobs.counts()).toMatchObject({ succeeded: 3, running: 0 });
});

// Leases of workers: who is there, who is lost, who does the housekeeping, and what becomes of tasks and money.
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { tidyFleet } from '../../../../../src/service/adapters/postgres/fleet/fleet.ts';
import { shareOnce } from '../../../../../src/service/adapters/postgres/shared/shared-rates.ts';
import { shareUploadsOnce } from '../../../../../src/service/adapters/postgres/shared/shared-uploads.ts';
import { createArrivals } from '../../../../../src/service/rules/files/arrivals.ts';
import { createRateLimiter } from '../../../../../src/service/http/server/rate-limit.ts';
import { createLeadership } from '../../../../../src/service/adapters/postgres/shared/leadership.ts';
import { type Leadership, LeadLost } from '../../../../../src/service/rules/fleet/leadership.ts';
import { createBoss } from '../../../../../src/service/adapters/queue/boss.ts';
import { createWorkQueue } from '../../../../../src/service/adapters/queue/work-queue.ts';
import type { WorkQueue } from '../../../../../src/service/rules/worker/work-queue.ts';
import { createLease, useDatabases, type TestStores } from '../../../../fixtures/service/database.ts';
import { newAccount, newJob, paid } from '../../../../fixtures/service/rows.ts';
import { until } from '../../../../fixtures/until.ts';
import { slow } from '../../../../fixtures/rounds.ts';

const seed = Number(process.env['EARSHOT_TEST_SEED'] ?? Date.now() % 1_000_000);
console.log(`fleet: EARSHOT_TEST_SEED=${seed}`);

const databases = useDatabases();
let stores: TestStores;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  stores = await databases.freshStores();
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  await sql`delete from workers`.execute(stores.database.kysely);
});

const done = { outputs: [], result: {}, warnings: [], processedSeconds: 60, credits: 1 };

function worker(host: string): { queue: WorkQueue; lease: ReturnType<typeof createLease> } {
  const lease = createLease(stores.database, { host, slots: 2 });
  const queue = createWorkQueue(stores.database, lease);
  closers.push(
    () => lease.stop(),
    () => queue.stop(0),
  );
  return { queue, lease };
}

/** As if the worker had been silent for longer than its lease. */
const silence = (id: string): Promise<unknown> =>
  sql`update workers set last_beat_at = clock_timestamp() - interval '1 minute' where id = ${id}`.execute(
    stores.database.kysely,
  );

test('a worker is listed from its first beat to its end, and says when it drains or is lost', async () => {
  const lease = createLease(stores.database, { host: 'one', slots: 3, labels: ['gpu'], roles: ['worker'] });
  closers.push(() => lease.stop());
  await lease.start();
  const [listed] = await stores.fleet.list();
  expect(listed).toMatchObject({ id: lease.workerId, host: 'one', slots: 3, labels: ['gpu'], state: 'running' });
  expect(listed?.silentSeconds).toBeLessThan(5);
  expect(Math.abs(lease.clockOffsetMs())).toBeLessThan(1000);
  expect(await stores.fleet.setDraining(lease.workerId, true)).toBe(true);
  expect(await stores.fleet.setDraining('nobody', true)).toBe(false);
  expect((await stores.fleet.list())[0]?.state).toBe('draining');
  await silence(lease.workerId);
  expect((await stores.fleet.list())[0]?.state).toBe('lost');
  await sql`update workers set last_beat_at = clock_timestamp() - interval '2 hours'`.execute(stores.database.kysely);
  await tidyFleet(stores.database);
  expect(await stores.fleet.list()).toEqual([]);
});

test('draining takes nothing new; an evicted task costs no attempt and is charged once', slow, async () => {
  const account = await newAccount(stores, 100);
  const seen: string[] = [];
  const { queue: first, lease } = worker('first');
  let letGo = (): void => {};
  let lateAnswer: boolean | undefined;
  await first.work('job', 2, async (id) => {
    seen.push('first');
    const job = await stores.jobs.start(id, lease.workerId, 1);
    await new Promise<void>((resolve) => (letGo = resolve));
    // It does not know yet that it was evicted.
    lateAnswer = await stores.jobs.succeed(id, job?.attempt ?? 0, done);
  });
  const { job } = await stores.jobs.create(newJob(account.id, paid(1)));
  await until('it runs', () => seen.length === 1);
  await stores.fleet.setDraining(lease.workerId, true);
  await until('it knows', async () => (await stores.fleet.list())[0]?.state === 'draining');
  await sleep(2500);
  const { job: second } = await stores.jobs.create(newJob(account.id, paid(1)));
  await sleep(300);
  expect(seen).toEqual(['first']);
  const { queue: other, lease: otherLease } = worker('other');
  await other.work('job', 2, async (id) => {
    seen.push('other');
    // One attempt is all that there is: it would fail if the eviction had cost one.
    const started = await stores.jobs.start(id, otherLease.workerId, 1);
    await stores.jobs.succeed(id, started?.attempt ?? 0, done);
  });
  await until('the second one ran', async () => (await stores.jobs.get(second.id))?.status === 'succeeded');
  expect(await stores.fleet.evict(lease.workerId)).toBe(true);
  await until('the first one ran elsewhere', async () => (await stores.jobs.get(job.id))?.status === 'succeeded');
  letGo();
  await until('it came late', () => lateAnswer !== undefined);
  expect(lateAnswer).toBe(false);
  expect((await stores.accounts.get(account.id))?.balance).toBe(98);
  expect(await sql`select from task_leases`.execute(stores.database.kysely).then(({ rows }) => rows.length)).toBe(0);
});

test('the tasks of a lost worker are taken once, and by its own beat it comes back', slow, async () => {
  const account = await newAccount(stores, 100);
  const lost = createLease(stores.database, { host: 'lost' });
  await lost.start();
  await stores.jobs.create(newJob(account.id, paid(1)));
  const queue = createWorkQueue(stores.database, lost);
  closers.push(
    () => lost.stop(),
    () => queue.stop(0),
  );
  let holds = false;
  await queue.work('job', 1, async () => {
    holds = true;
    await new Promise(() => {});
  });
  closers.pop();
  await until('it holds it', () => holds);
  const take = (): Promise<number> =>
    stores.database.transaction((trx) => stores.enqueuer.redeliver(trx, [lost.workerId], 'lost'));
  expect(await take()).toBe(0);
  await silence(lost.workerId);
  expect((await Promise.all([take(), take(), take()])).toSorted()).toEqual([0, 0, 1]);
  await until('it beats again', async () => (await stores.fleet.list())[0]?.state === 'running');
});

test('links of one owner come one at a time, jobs of one account as allowed, in all workers', async () => {
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const [ann, bob] = [await newAccount(stores, 100), await newAccount(stores, 100)];
  const owners = new Map<string, string>();
  let ended = 0;
  for (const host of ['one', 'two'])
    await worker(host).queue.work(
      'job',
      4,
      async (id) => {
        const owner = owners.get(id);
        // Of an earlier test.
        if (owner === undefined) return;
        running.set(owner, (running.get(owner) ?? 0) + 1);
        most.set(owner, Math.max(most.get(owner) ?? 0, running.get(owner) ?? 0));
        // As many as may run at the same time do.
        await until('both accounts have two', () => most.get(ann.id) === 2 && most.get(bob.id) === 2);
        running.set(owner, (running.get(owner) ?? 0) - 1);
        ended += 1;
      },
      { perOwner: 2 },
    );
  const create = async ({ id }: { id: string }): Promise<void> => {
    const job = newJob(id, paid(1));
    owners.set(job.id, id);
    await stores.jobs.create(job);
  };
  await Promise.all([ann, ann, ann, ann, ann, ann, bob, bob, bob].map(create));
  await until('all have ended', () => ended === 9);
  expect(most).toEqual(
    new Map([
      [ann.id, 2],
      [bob.id, 2],
    ]),
  );
});

test('a worker of the release before works beside: it claims, tells, renews and completes in its own ways', async () => {
  const account = await newAccount(stores, 100);
  const { kysely } = stores.database;
  await sql`delete from pgboss.job`.execute(kysely);
  const { job } = await stores.jobs.create(newJob(account.id, paid(3)));
  const boss = await createBoss(stores.database, { supervise: false, migrate: false }).start();
  closers.push(() => boss.stop({ graceful: false }));
  const [claimed] = await boss.fetch<{ id: string }>('job');
  // It renews every second what has a heartbeat, and only that: so that a dead one of its kind is found.
  expect([claimed?.data.id, claimed?.heartbeatSeconds]).toEqual([job.id, 60]);
  await stores.jobs.start(job.id, 'of the release before', 3);
  const told = await sql<{ cancelRequested: boolean }>`
    with reported as (
      update jobs set progress = ${0.5}, furthest = greatest(furthest, ${0.5}), stage = ${'x'}, estimated_seconds_left = ${1}
      where id = ${job.id} and attempt = ${1} and status = 'running' returning id, cancel_requested
    )
    select cancel_requested, pg_notify('earshot_changes', id) from reported`.execute(kysely);
  expect(told.rows).toHaveLength(1);
  await boss.touch('job', [claimed!]);
  expect(await stores.jobs.succeed(job.id, 1, { ...done, credits: 3 })).toBe(true);
  await boss.complete('job', [claimed!]);
  const entries = await sql<{ state: string }>`select state from pgboss.job where singleton_key = ${job.id}`.execute(
    kysely,
  );
  expect(entries.rows).toEqual([{ state: 'completed' }]);
  expect(await stores.accounts.get(account.id)).toMatchObject({ balance: 97, reserved: 0 });
});

test('two APIs count the requests of a key together, within one exchange', async () => {
  const [here, there] = [createRateLimiter(), createRateLimiter()];
  const exchange = (limiter: ReturnType<typeof createRateLimiter>): Promise<void> =>
    shareOnce(stores.database, limiter, limiter.unshared());
  for (let n = 0; n < 7; n += 1) here.take('account:a', 10);
  for (let n = 0; n < 2; n += 1) there.take('account:a', 10);
  there.take('account:b', 10);
  await exchange(here);
  await exchange(there);
  expect(there.take('account:a', 10)).toMatchObject({ allowed: true, remaining: 0 });
  expect(there.take('account:a', 10).allowed).toBe(false);
  expect(there.peek('account:b', 10).remaining).toBe(9);
  await exchange(there);
  here.take('account:a', 10);
  await exchange(here);
  expect(here.peek('account:a', 10)).toMatchObject({ allowed: false, remaining: 0 });
  // Neither accounts nor addresses can be read from it.
  const { rows } = await sql<{ key: string }>`select key from rate_windows`.execute(stores.database.kysely);
  expect(rows.map(({ key }) => key.includes('account'))).toEqual([false, false]);
});

test('two APIs count the uploads of an account together, within one exchange', async () => {
  const [here, there] = [createArrivals(2), createArrivals(2)];
  const exchange = async (): Promise<void> => {
    await shareUploadsOnce(stores.database, 'here', here);
    await shareUploadsOnce(stores.database, 'there', there);
    await shareUploadsOnce(stores.database, 'here', here);
  };
  const first = here.enter('acc_a', 2);
  await exchange();
  const second = there.enter('acc_a', 2);
  expect(() => there.enter('acc_a', 2)).toThrow('Expected at most 2 uploads');
  there.enter('acc_b', 2).leave();
  await exchange();
  expect(() => here.enter('acc_a', 2)).toThrow('Expected at most 2 uploads');
  const { rows } = await sql<{ owner: string }>`select owner from arriving_uploads`.execute(stores.database.kysely);
  expect(rows.map(({ owner }) => owner.includes('acc'))).toEqual([false, false]);
  second.leave();
  await exchange();
  const third = here.enter('acc_a', 2);
  for (const each of [first, third]) each.leave();
  await exchange();
  expect(await sql`select from arriving_uploads`.execute(stores.database.kysely)).toMatchObject({ rows: [] });
  // What an API told that has died since is not counted for ever.
  here.enter('acc_a', 2);
  await shareUploadsOnce(stores.database, 'here', here);
  await sql`update arriving_uploads set ends_at = clock_timestamp() - interval '1 second'`.execute(
    stores.database.kysely,
  );
  await shareUploadsOnce(stores.database, 'there', there);
  for (const each of [there.enter('acc_a', 2), there.enter('acc_a', 2)]) each.leave();
  await tidyFleet(stores.database);
  expect(await sql`select from arriving_uploads`.execute(stores.database.kysely)).toMatchObject({ rows: [] });
});

test('two attempts of one job in a process are told apart, whichever reports first', async () => {
  const account = await newAccount(stores, 100);
  const { job } = await stores.jobs.create(newJob(account.id, paid(7)));
  const lease = createLease(stores.database);
  closers.push(() => lease.stop());
  await lease.start();
  await stores.jobs.start(job.id, lease.workerId, 99);
  await stores.jobs.requeue(job.id, 1);
  await stores.jobs.start(job.id, lease.workerId, 99);
  const progress = { progress: 0.5, stage: 'x', estimatedSecondsLeft: 1 };
  for (const order of [
    [1, 2],
    [2, 1],
  ]) {
    // Both go out with the same beat.
    const answers = await Promise.all(order.map((attempt) => lease.report(job.id, attempt, progress)));
    expect(answers.map(({ current }) => current)).toEqual(order.map((attempt) => attempt === 2));
  }
});

test('a leader that hangs is replaced, and does nothing more when it wakes up', async () => {
  const { database } = stores;
  const [hangs, takesOver] = [createLease(database), createLease(database)] as const;
  for (const lease of [hangs, takesOver]) {
    closers.push(() => lease.stop());
    await lease.start();
  }
  const [before, after] = [hangs, takesOver].map(({ workerId }) => createLeadership(database, workerId)) as [
    Leadership,
    Leadership,
  ];
  const itLeads = await before.lead();
  expect(itLeads).not.toBeNull();
  expect(await after.lead()).toBeNull();
  await itLeads?.();

  // It sends no beats, and its session stays open.
  await hangs.stop();
  await sql`insert into workers (id, host, version, roles, last_beat_at)
    values (${hangs.workerId}, 'x', '0', '{worker}', clock_timestamp() - interval '1 minute')`.execute(database.kysely);
  // Nobody took over yet, but anybody may: its lease has ended.
  await expect(itLeads?.()).rejects.toThrow(LeadLost);
  // The answer of just now is shared for a second.
  const itLeadsNow = await createLeadership(database, takesOver.workerId).lead();
  expect(itLeadsNow).not.toBeNull();

  await sql`update workers set last_beat_at = clock_timestamp() where id = ${hangs.workerId}`.execute(database.kysely);
  await expect(itLeads?.()).rejects.toThrow(LeadLost);
  expect(await createLeadership(database, hangs.workerId).lead()).toBeNull();
  await itLeadsNow?.();
});

test('of workers that ask at once, one leads; one without a lease never does', async () => {
  const { database } = stores;
  const leases = Array.from({ length: 5 }, () => createLease(database));
  for (const lease of leases) {
    closers.push(() => lease.stop());
    await lease.start();
  }
  const ask = (id: string) => createLeadership(database, id).lead();
  const asked = await Promise.all([ask('unknown'), ...leases.map(({ workerId }) => ask(workerId))]);
  expect(asked.filter((lead) => lead !== null)).toHaveLength(1);
  expect(asked[0]).toBeNull();
});

test('settling late, twice or beside others moves the money of a job once, whatever the order', slow, async () => {
  const { jobs, accounts, fleet, database, enqueuer } = stores;
  const steps = fc.constantFrom('start', 'report', 'succeed', 'fail', 'requeue', 'lose', 'evict');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(steps, fc.nat(2)), { minLength: 3, maxLength: 14 }), async (story) => {
      const account = await newAccount(stores, 10);
      const { job } = await jobs.create(newJob(account.id, paid(7)));
      const leases = [0, 1, 2].map((index) => createLease(database, { host: `machine ${index}` }));
      for (const lease of leases) await lease.start();
      /** What each machine believes to run. */
      const attempts = new Map<number, number>();
      let settled = 0;
      for (const [step, machine] of story) {
        const id = leases[machine]?.workerId ?? '';
        const attempt = attempts.get(machine) ?? 0;
        if (step === 'start') attempts.set(machine, (await jobs.start(job.id, id, 99))?.attempt ?? attempt);
        if (step === 'report')
          await leases[machine]?.report(job.id, attempt, { progress: 0.5, stage: 'x', estimatedSecondsLeft: 1 });
        if (step === 'succeed' && (await jobs.succeed(job.id, attempt, { ...done, credits: 5 }))) settled += 1;
        if (step === 'fail' && (await jobs.fail(job.id, attempt, { code: 'no_audio', message: 'none' }))) settled += 1;
        if (step === 'requeue') await jobs.requeue(job.id, attempt);
        if (step === 'lose') {
          await silence(id);
          await database.transaction((trx) => enqueuer.redeliver(trx, [id], 'lost'));
        }
        if (step === 'evict') await fleet.evict(id);
      }
      for (const lease of leases) await lease.stop();
      const { status, price } = (await jobs.get(job.id))!;
      const { balance, reserved } = (await accounts.get(account.id))!;
      const isOpen = status === 'queued' || status === 'running';
      expect(settled).toBe(isOpen ? 0 : 1);
      expect([balance, reserved]).toEqual([status === 'succeeded' ? 5 : 10, isOpen ? price : 0]);
    }),
    { seed, numRuns: 25 },
  );
});

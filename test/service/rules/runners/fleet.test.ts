// Runners as machines of the fleet: pools, promised models, limits of an account, and the operator's view of them.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { claimTasks } from '../../../../src/service/adapters/queue/leases.ts';
import { suitedValues } from '../../../../src/service/adapters/queue/suited.ts';
import type { JobPick } from '../../../../src/service/rules/fleet/job-classes.ts';
import { workerFacts } from '../../../../src/service/serve/worker-facts.ts';
import { readPools, toolsWithModels } from '../../../../src/service/rules/fleet/pools.ts';
import type { Host } from '../host.ts';
import { useDesks } from './bench.ts';

const withDesk = useDesks();

const pools = 'remove_noise=gpu';
const one: JobPick = { most: 1, only: null, first: 'paid' };

/** What a worker of the service without labels would take now. */
async function takenByWorker({ stores: { database } }: Host): Promise<readonly string[]> {
  await sql`insert into workers (id, host, version, roles, labels, models, slots, running)
    values ('plain', 'here', '1.2.3', '{worker}', '{}', '{}', 1, 0)
    on conflict (id) do update set last_beat_at = clock_timestamp()`.execute(database.kysely);
  const worker = { version: '1.2.3', labels: [], models: [], pools: readPools(pools), modelTools: toolsWithModels };
  const taken = await claimTasks(database, 'job', one, 'plain', suitedValues({ ...worker, waitSeconds: 600 }));
  return taken.map(({ task }) => task);
}

test('a runner with the label of a pool has its jobs; workers leave them to it while it has a free slot', () =>
  withDesk(
    async (host, { ask }) => {
      const account = await host.account(100);
      const [gpu, plain] = [await host.operator.addRunner('gpu'), await host.operator.addRunner('plain')];
      const labels = ['gpu'];
      expect(await ask(gpu.token, 'a', { labels })).toBe(null);
      const job = await host.job(account, await host.file(account), ['succeed']);
      expect(await takenByWorker(host)).toEqual([]);
      expect(await ask(plain.token)).toBe(null);
      expect(await ask(gpu.token, 'a', { labels })).toMatchObject({ tool: 'remove_noise' });
      expect((await host.stores.jobs.get(job.id))?.status).toBe('running');
      // Its only slot is taken: the next job is anybody's.
      const next = await host.job(account, await host.file(account), ['succeed']);
      expect(await takenByWorker(host)).toEqual([next.id]);
    },
    { EARSHOT_POOLS: pools },
  ));

test('a runner whose models are not the promised ones gets no such job; what ran a job is recorded', () =>
  withDesk(async (host, { ask }) => {
    const account = await host.account(100);
    const { token } = await host.operator.addRunner('one');
    const job = await host.job(account, await host.file(account), ['succeed']);
    await sql`update jobs set promised_models = '{one,two}' where id = ${job.id}`.execute(host.stores.database.kysely);
    expect(await ask(token, 'a', { models: ['one'] })).toBe(null);
    const build = '1.2.3 elsewhere';
    expect(await ask(token, 'a', { models: ['two', 'one'], build })).toMatchObject({ tool: 'remove_noise' });
    const { kysely } = host.stores.database;
    const { rows } = await sql`select build, models from jobs where id = ${job.id}`.execute(kysely);
    expect(rows).toEqual([{ build, models: ['two', 'one'] }]);
  }));

test('a job whose models only a machine has that takes no jobs is ended, not left waiting', () =>
  withDesk(async (host, { ask }) => {
    const { fleet, database } = host.stores;
    const account = await host.account(100);
    const { token } = await host.operator.addRunner('one');
    // With EARSHOT_TAKE_JOBS=false a worker checks files and leaves jobs to runners.
    const { slots, models } = workerFacts('worker', { ...host.config, takeJobs: false });
    expect(workerFacts('worker', host.config).slots).toBe(host.config.jobSlots);
    await sql`insert into workers (id, host, version, roles, labels, models, slots, running)
      values ('checks', 'here', '1.2.3', '{worker}', '{}', ${[...models]}::text[], ${slots}, 0)`.execute(
      database.kysely,
    );
    const job = await host.job(account, await host.file(account), ['succeed']);
    await sql`update jobs set promised_models = ${[...models]}::text[] where id = ${job.id}`.execute(database.kysely);
    expect(await fleet.failUnsuited(0)).toBe(0);
    expect(await ask(token, 'a', { models: ['another'] })).toBe(null);
    expect(await fleet.failUnsuited(0)).toBe(1);
    expect(await host.stores.jobs.get(job.id)).toMatchObject({ status: 'failed', error: { code: 'tool_unavailable' } });
    await host.expectExact(account, 100);
  }));

test('a runner leaves no job to a machine that takes none', () =>
  withDesk(
    async (host, { ask }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('one');
      const { slots } = workerFacts('worker', { ...host.config, takeJobs: false });
      await sql`insert into workers (id, host, version, roles, labels, models, slots, running)
        values ('checks', 'here', '1.2.3', '{worker}', '{}', '{}', ${slots}, 0)`.execute(host.stores.database.kysely);
      await host.job(account, await host.file(account), ['succeed']);
      // Its label is another pool's, so that a machine without labels would suit the job better.
      expect(await ask(token, 'a', { labels: ['gpu'] })).toMatchObject({ tool: 'remove_noise' });
    },
    { EARSHOT_POOLS: 'transcribe_audio=gpu' },
  ));

test('jobs of one account run at most as often on runners as its limit says', () =>
  withDesk(
    async (host, { ask, desk }) => {
      const [account, other] = [await host.account(100), await host.account(100)];
      const { token } = await host.operator.addRunner('one');
      for (const owner of [account, account, other]) await host.job(owner, await host.file(owner), ['succeed']);
      const machine = { slots: 9 };
      const [first, second] = [await ask(token, 'a', machine), await ask(token, 'a', machine)];
      expect(first?.owner).not.toBe(second?.owner);
      expect(await ask(token, 'a', machine)).toBe(null);
      await desk.giveUp(first?.token ?? '', 'cancelled');
      expect(await ask(token, 'a', machine)).toMatchObject({ owner: first?.owner });
    },
    { EARSHOT_ACCOUNT_RUNNING_JOBS: '1' },
  ));

test('the operator sees runners in the fleet, drains them, and they leave', () =>
  withDesk(async (host, { ask, desk }) => {
    const { fleet } = host.stores;
    const account = await host.account(100);
    const { token, runner } = await host.operator.addRunner('studio mac');
    const machine = { labels: ['mac'], models: ['one'], slots: 2, load: 0.5 };
    await host.job(account, await host.file(account), ['succeed']);
    expect(await ask(token, 'a', machine)).not.toBe(null);
    const id = `runner/${runner.id}/a`;
    const shown = {
      id,
      host: 'studio mac',
      roles: ['worker', 'runner'],
      labels: ['mac'],
      models: ['one'],
      slots: 2,
      running: 1,
      connections: 0,
    };
    expect(await fleet.list()).toMatchObject([{ ...shown, load: 0.5, state: 'running' }]);
    await host.job(account, await host.file(account), ['succeed']);
    await fleet.setDraining(id, true);
    expect(await ask(token, 'a', machine)).toBe(null);
    // Another process of the same runner is another machine.
    expect(await ask(token, 'b', machine)).not.toBe(null);
    await fleet.setDraining(id, false);
    await host.job(account, await host.file(account), ['succeed']);
    expect(await ask(token, 'a', machine)).not.toBe(null);
    await desk.leave(token, 'a');
    await desk.leave(token, 'b');
    expect(await fleet.list()).toEqual([]);
  }));

test('reports of a runner are its beats', () =>
  withDesk(async (host, { ask, desk }) => {
    const account = await host.account(100);
    const { token } = await host.operator.addRunner('one');
    await host.job(account, await host.file(account), ['succeed']);
    const order = await ask(token);
    await sql`update workers set last_beat_at = last_beat_at - interval '1 minute'`.execute(
      host.stores.database.kysely,
    );
    expect(await host.stores.fleet.list()).toMatchObject([{ state: 'lost' }]);
    await desk.report(order?.token ?? '', { progress: 0.1, stage: 'x', estimatedSecondsLeft: null });
    expect(await host.stores.fleet.list()).toMatchObject([{ state: 'running' }]);
  }));

test('a runner that takes jobs and never ends them is marked, and gets one at a time now and then', () =>
  withDesk(async (host, { desk, ask, expire }) => {
    const { kysely } = host.stores.database;
    const account = await host.account(100);
    const file = await host.file(account);
    const bad = await host.operator.addRunner('bad');
    const good = await host.operator.addRunner('good');
    await host.job(account, file, ['succeed']);
    const unfinished = async (): Promise<number | undefined> =>
      (await host.operator.listRunners()).find(({ name }) => name === 'bad')?.unfinished;
    for (let count = 1; count <= 3; count += 1) {
      const taken = await ask(bad.token);
      if (taken === null) throw new Error('It should have had the job');
      await expire(taken);
      const next = await ask(good.token);
      expect(await unfinished()).toBe(count);
      await desk.giveUp(next?.token ?? '', 'back');
    }
    expect(await ask(bad.token)).toBe(null);
    await sql`update runners set unfinished_at = unfinished_at - interval '61 seconds'`.execute(kysely);
    const again = await ask(bad.token);
    expect(again).not.toBe(null);
    await host.job(account, file, ['succeed']);
    expect(await ask(bad.token)).toBe(null);
    // An end makes up for all of them, also that of a job that failed.
    const failure = new EarshotError('file_invalid', 'It has no sound').toJSON();
    expect(await desk.giveUp(again?.token ?? '', failure)).toBe(true);
    expect(await unfinished()).toBe(0);
    await host.job(account, file, ['succeed']);
    expect([await ask(bad.token), await ask(bad.token)]).not.toContain(null);
  }));

test('a runner that lacks something is listed so, gets no jobs while it pauses, and spends no attempt', () =>
  withDesk(
    async (host, { desk, ask }) => {
      const account = await host.account(100);
      const { token } = await host.operator.addRunner('full');
      const job = await host.job(account, await host.file(account), ['succeed']);
      const spent = async () =>
        (
          await sql<{ spent: number; passedOn: boolean }>`
            select attempt - given_back as spent, unfit_since is not null as passed_on from jobs where id = ${job.id}`.execute(
            host.stores.database.kysely,
          )
        ).rows;
      expect(await desk.giveUp((await ask(token, 'a'))?.token ?? '', 'unfit')).toBe(true);
      expect(await spent()).toEqual([{ spent: 0, passedOn: true }]);
      expect(await ask(token, 'a', { unfit: 'disk', takesJobs: false })).toBe(null);
      expect((await host.stores.fleet.list()).map(({ host: name, unfit }) => [name, unfit])).toEqual([
        ['full', 'disk'],
      ]);
      const again = await ask(token, 'a');
      expect((await host.stores.fleet.list())[0]?.unfit).toBe(null);
      // What has no room here waits a little before a machine looks at it again.
      expect(await desk.giveUp(again?.token ?? '', 'no-room')).toBe(true);
      expect([await spent(), await ask(token, 'a')]).toEqual([[{ spent: 0, passedOn: true }], null]);
    },
    { EARSHOT_JOB_ATTEMPTS: '1' },
  ));

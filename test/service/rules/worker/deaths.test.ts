// @module-tag slow
// Workers that die with what runs in them, on real stores: whose attempt that costs. The queue is played by the test,
// since its heartbeats take seconds; what it does after a death, delivering again, is all that is needed of it.
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { AbortError } from '../../../../src/library/core/abort.ts';
import type { MediaWork } from '../../../../src/library/contract/media-work.ts';
import type { JobStore } from '../../../../src/service/rules/jobs/job-store.ts';
import type { QueueHandler } from '../../../../src/service/rules/shared/queue-handler.ts';
import type { WorkQueue } from '../../../../src/service/rules/worker/work-queue.ts';
import { attemptBudgets } from '../../../../src/service/rules/jobs/attempt-ends.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { until } from '../../../fixtures/until.ts';
import { createHost, type Host } from '../host.ts';

const databases = useDatabases();
const seed = Number(process.env['EARSHOT_TEST_SEED'] ?? Date.now() % 1_000_000);
console.log(`deaths: EARSHOT_TEST_SEED=${seed}`);

interface Run {
  /** That the job's options name. */
  readonly name: string;
  succeed(): void;
  /** For runs of dead workers, at the end of the test. */
  abort(): void;
}

/** One worker with its runs. A dead one stays as it was. */
interface Machine {
  readonly runs: Run[];
  /** Ids of jobs that were delivered to it and are not done. */
  readonly held: Set<string>;
  deliver(id: string): void;
  /** From now on it does nothing; resolves when what it had asked of the database is done. */
  die(): Promise<void>;
}

async function startMachine(host: Host): Promise<Machine> {
  let handler: QueueHandler = () => Promise.resolve();
  const queue: WorkQueue = {
    work: (kind, _slots, given) => {
      if (kind === 'job') handler = given;
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
    busy: () => 0,
    depth: () => host.stores.queue.depth(),
  };
  const runs: Run[] = [];
  const media: MediaWork = {
    ...host.media,
    run: (request) =>
      new Promise((resolve, reject) => {
        const { id } = request.options as { id: string };
        const run: Run = {
          name: id,
          succeed() {
            runs.splice(runs.indexOf(run), 1);
            resolve({ outputs: [], result: {}, processedSeconds: 60, warnings: [] });
          },
          abort: () => reject(new AbortError()),
        };
        runs.push(run);
      }),
  };
  let isDead = false;
  const asked = new Set<Promise<unknown>>();
  const jobs = new Proxy(host.stores.jobs, {
    get:
      (store, name: keyof JobStore) =>
      async (...values: never[]) => {
        if (isDead) return await new Promise(() => undefined);
        const answer = Reflect.apply(store[name], store, values) as Promise<unknown>;
        asked.add(answer);
        try {
          return await answer;
        } finally {
          asked.delete(answer);
          // The answer reaches no one.
          if (isDead) await new Promise(() => undefined);
        }
      },
  });
  const worker = host.makeWorker({ queue, media, stores: { jobs, files: host.stores.files } });
  await worker.start();
  await worker.stop();
  const held = new Set<string>();
  return {
    runs,
    held,
    deliver(id) {
      held.add(id);
      handler(id, new AbortController().signal).then(
        () => held.delete(id),
        () => held.delete(id),
      );
    },
    async die() {
      isDead = true;
      await Promise.allSettled(asked);
    },
  };
}

interface Story {
  readonly innocent: number;
  readonly killers: number;
  readonly workers: number;
  readonly slots: number;
  /** Which of what runs goes on next, and which worker gets the next job. */
  readonly choices: readonly number[];
}

/** Plays a story to its end; answers how often a worker died. */
async function play(host: Host, { innocent, killers, workers, slots, choices }: Story): Promise<number> {
  const account = await host.account(1000);
  const file = await host.file(account);
  const kinds = new Map<string, string>();
  const names = new Map<string, string>();
  const waiting: string[] = [];
  const mix = Array.from({ length: innocent + killers }, (_, index) => (index < killers ? 'killer' : 'innocent'));
  let turn = 0;
  const choose = (count: number): number => (choices[turn++ % choices.length] ?? 0) % count;
  while (mix.length > 0) {
    const [kind = 'innocent'] = mix.splice(choose(mix.length), 1);
    const job = await host.job(account, file, ['succeed']);
    const { id: name } = (await host.stores.jobs.get(job.id))!.options as { id: string };
    kinds.set(job.id, kind);
    names.set(name, job.id);
    waiting.push(job.id);
  }
  const machines = await Promise.all(Array.from({ length: workers }, () => startMachine(host)));
  const buried: Machine[] = [];
  /** By job, at how many deaths it was running beside others. */
  const seen = new Map<string, number>();
  let deaths = 0;
  const idOf = ({ name }: Run): string => names.get(name) ?? '';
  const open = (): boolean => machines.some(({ held }) => held.size > 0) || waiting.length > 0;
  while (open()) {
    for (const machine of machines)
      while (machine.held.size < slots && waiting.length > 0) machine.deliver(waiting.shift() ?? '');
    // All that was delivered may have ended without a run, while others still wait for a slot.
    await until(
      'something runs or all has ended',
      () => machines.some(({ runs }) => runs.length > 0) || machines.every(({ held }) => held.size === 0),
    );
    for (const { runs } of machines)
      if (runs.some((run) => (seen.get(idOf(run)) ?? 0) >= 2)) expect(runs).toHaveLength(1);
    const busy = machines.filter(({ runs }) => runs.length > 0);
    const machine = busy[choose(Math.max(1, busy.length))];
    const run = machine?.runs[choose(Math.max(1, machine.runs.length))];
    if (machine === undefined || run === undefined) continue;
    if (kinds.get(idOf(run)) === 'innocent') {
      run.succeed();
      await until('it has ended', () => !machine.held.has(idOf(run)) || machine.runs.includes(run));
      continue;
    }
    deaths += 1;
    await machine.die();
    const ran = (
      await sql<{
        id: string;
      }>`select id from jobs where status = 'running' and id = any(${[...machine.held]})`.execute(
        host.stores.database.kysely,
      )
    ).rows;
    if (ran.length > 1) for (const { id } of ran) seen.set(id, (seen.get(id) ?? 0) + 1);
    machines.splice(machines.indexOf(machine), 1, await startMachine(host));
    buried.push(machine);
    waiting.push(...machine.held);
  }
  for (const { runs } of buried) for (const run of runs) run.abort();
  for (const [id, kind] of kinds) {
    const { rows } = await sql<{ status: string; spent: number }>`
      select status, attempt - given_back as spent from jobs where id = ${id}`.execute(host.stores.database.kysely);
    expect({ kind, ...rows[0] }).toEqual(
      kind === 'innocent' ? { kind, status: 'succeeded', spent: 1 } : { kind, status: 'failed', spent: 0 },
    );
  }
  await host.expectExact(account, 1000);
  expect((await host.operator.account(account.id)).balance).toBe(1000 - innocent);
  return deaths;
}

it('one job that kills its worker fails alone, with many innocent ones beside it', async () => {
  await using host = await createHost(await databases.freshStores());
  const deaths = await play(host, { innocent: 6, killers: 1, workers: 1, slots: 4, choices: [0] });
  // Twice beside others, then alone.
  expect(deaths).toBe(attemptBudgets.workerGone);
});

it('a death costs nobody else an attempt, however many kill and however many workers there are', async () => {
  await using host = await createHost(await databases.freshStores());
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        innocent: fc.integer({ min: 1, max: 6 }),
        killers: fc.integer({ min: 0, max: 2 }),
        workers: fc.integer({ min: 1, max: 3 }),
        slots: fc.integer({ min: 1, max: 4 }),
        choices: fc.array(fc.nat(100), { minLength: 5, maxLength: 20 }),
      }),
      async (story) => {
        const deaths = await play(host, story);
        expect(deaths).toBeLessThanOrEqual(story.killers * attemptBudgets.workerGone);
      },
    ),
    { seed, numRuns: 6 },
  );
});

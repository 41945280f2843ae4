import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { PgBoss } from 'pg-boss';
import { EarshotError } from '../../../library/core/errors.ts';
import type { Log } from '../../rules/log.ts';
import type { QueueHandler, WorkQueue } from '../../rules/ports.ts';
import { createBoss, queueSchema, superviseSeconds, taskKinds, type TaskKind } from './boss.ts';
import { openSlots } from './slots.ts';

interface QueueDatabase<Tables> {
  readonly kysely: Kysely<Tables>;
  readonly url: string;
  readonly log: Log;
}

/**
 * Polling intervals. Notifications start tasks; polling only finds those of lost notifications and retries. An idle
 * service queries its database less than ten times a second.
 */
const pollSeconds: Readonly<Record<TaskKind, number>> = {
  // Clients wait for these: tasks of a killed worker must restart within 10 s (see `heartbeatSeconds`).
  job: 1,
  check: 1,
  import: 4,
  peaks: 4,
  order: 4,
  deliver: 4,
};

/** WorkQueue on pg-boss. Connects at the first `work`: `depth` needs no connection of its own. */
export function createWorkQueue<Tables>({ kysely, url, log }: QueueDatabase<Tables>): WorkQueue {
  let starting: Promise<PgBoss> | undefined;
  let stopping: Promise<void> | undefined;
  const kinds = new Set<TaskKind>();
  const shutdown = new AbortController();
  /** Running tasks of this process, by kind and id. */
  const running = new Map<string, Promise<void>>();

  const start = (): Promise<PgBoss> => {
    starting ??= createBoss(url, log, {
      supervise: true,
      useListenNotify: true,
      max: 6,
      superviseIntervalSeconds: superviseSeconds,
      monitorIntervalSeconds: superviseSeconds,
      maintenanceIntervalSeconds: 60,
    })
      .start()
      .catch((error: unknown) => {
        starting = undefined;
        throw new EarshotError('internal_error', 'Cannot connect to the queue', {
          cause: error,
          nextAction: 'Check that the database runs and has been migrated.',
        });
      });
    return starting;
  };

  async function work(kind: TaskKind, slots: number, handler: QueueHandler): Promise<void> {
    if (stopping !== undefined)
      throw new EarshotError('internal_error', 'The queue has been stopped; expected work() before stop()');
    const boss = await start();
    kinds.add(kind);
    const taken = await openSlots(
      boss,
      kind,
      slots,
      () => stopping === undefined,
      (id) => once(kind, id, handler),
    );
    const polling = setInterval(() => taken.poll(), pollSeconds[kind] * 1000).unref();
    shutdown.signal.addEventListener('abort', () => clearInterval(polling), { once: true });
  }

  /**
   * A task may be delivered again while it is still running here: the database was unavailable for longer than a
   * heartbeat, or the run requeued it and has not returned yet. Then wait for that run first.
   */
  async function once(kind: TaskKind, id: string, handler: QueueHandler): Promise<void> {
    const name = `${kind} ${id}`;
    for (let current = running.get(name); current !== undefined; current = running.get(name))
      await current.catch(() => {});
    const run = (async () => handler(id, shutdown.signal))();
    running.set(name, run);
    try {
      await run;
    } catch (error) {
      if (!shutdown.signal.aborted) log.warn({ err: error, kind, id }, 'A task failed and will be delivered again');
      throw error;
    } finally {
      running.delete(name);
    }
  }

  async function stop(graceMs: number): Promise<void> {
    if (starting === undefined) return;
    const boss = await starting.catch(() => undefined);
    if (boss === undefined) return;
    // Resolves when the current tasks are done and their entries are settled.
    const drained = Promise.all([...kinds].map((kind) => boss.offWork(kind, { wait: true })));
    const timer = new AbortController();
    await Promise.race([drained, sleep(graceMs, undefined, { signal: timer.signal })]);
    timer.abort();
    shutdown.abort();
    await drained;
    await boss.stop({ graceful: false });
  }

  return {
    work,
    stop(graceMs) {
      stopping ??= stop(graceMs);
      return stopping;
    },
    async depth() {
      const { rows } = await sql<{ name: TaskKind; count: number }>`
        select name, count(*)::int as count from ${sql.table(`${queueSchema}.job`)}
        where state < 'active' and name in (${sql.join(taskKinds)}) group by name`.execute(kysely);
      const depth = Object.fromEntries(taskKinds.map((kind) => [kind, 0])) as Record<TaskKind, number>;
      for (const { name, count } of rows) depth[name] = count;
      return depth;
    },
  };
}

import type { Transaction } from 'kysely';
import { fromKysely } from 'pg-boss';
import { type BossDatabase, createBoss, entryHeartbeatSeconds, type TaskKind } from './boss.ts';
import { createRedeliver } from './redeliver.ts';

/** A queued task: its kind and id, and what decides its turn; everything else is in the database row. */
export interface Task {
  readonly kind: TaskKind;
  /** Id of the job or file. */
  readonly id: string;
  /** Owner of the task, for limits on concurrent tasks. Default: none. */
  readonly owner?: string;
  /** Higher goes first. Default: 0. */
  readonly priority?: number;
  /** Seconds before it may start. Default: 0. */
  readonly pauseSeconds?: number;
  /** Of a job: which machines it suits (entry-class.ts). Default: looked up in its row at each look. */
  readonly entryClass?: string;
}

/** Called by stores inside their transactions: a task is in the queue exactly when its row's change is committed. */
export interface Enqueuer {
  /**
   * Does nothing for a task that is already queued or running.
   * @internal
   */
  enqueue<Tables>(trx: Transaction<Tables>, tasks: readonly Task[]): Promise<void>;
  /**
   * Replaces the running entry by a fresh one, so that another worker starts the task right after the commit.
   * @internal
   */
  putBack<Tables>(trx: Transaction<Tables>, task: Task): Promise<void>;
  /**
   * Takes the running tasks from these workers: each is delivered again in a second.
   * @param which 'lost': only from those that are still without a beat
   * @returns the number of tasks
   * @internal
   */
  redeliver<Tables>(trx: Transaction<Tables>, workerIds: readonly string[], which: 'lost' | 'any'): Promise<number>;
  /** The tasks stay in the queue. */
  close(): Promise<void>;
}

/** The queue reads its own column names. */
const databaseOf = <Tables>(trx: Transaction<Tables>) => fromKysely(trx.withoutPlugins());

/** @throws EarshotError when the queue is not installed; Database.migrate() does that */
export async function createEnqueuer(database: BossDatabase): Promise<Enqueuer> {
  const boss = createBoss(database, { supervise: false, migrate: false });
  await boss.start();

  async function enqueue<Tables>(trx: Transaction<Tables>, tasks: readonly Task[]): Promise<void> {
    for (const kind of new Set(tasks.map((task) => task.kind))) {
      const entries = tasks
        .filter((task) => task.kind === kind)
        // Not send(), which requires at least 10 s between heartbeats.
        .map(({ id, priority = 0, owner, pauseSeconds = 0, entryClass }) => ({
          data: { id, ...(entryClass === undefined ? {} : { class: entryClass }) },
          singletonKey: id,
          priority,
          heartbeatSeconds: entryHeartbeatSeconds,
          ...(pauseSeconds > 0 ? { startAfter: pauseSeconds } : {}),
          ...(owner === undefined ? {} : { group: { id: owner } }),
        }));
      await boss.insert(kind, entries, { db: databaseOf(trx), returnId: false });
    }
  }

  return {
    enqueue,
    async putBack(trx, task) {
      const db = databaseOf(trx);
      const held = (await boss.findJobs(task.kind, { key: task.id, db })).filter(({ state }) => state === 'active');
      if (held.length > 0)
        await boss.cancel(
          task.kind,
          held.map(({ id }) => id),
          { db },
        );
      await enqueue(trx, [task]);
    },
    redeliver: createRedeliver(boss),
    close: () => boss.stop({ graceful: false }),
  };
}

/** The same, opened at the first use. */
export function createLazyEnqueuer(open: () => Promise<Enqueuer>): Enqueuer {
  let opened: Promise<Enqueuer> | undefined;
  const get = (): Promise<Enqueuer> => (opened ??= open());
  return {
    enqueue: async (trx, tasks) => (await get()).enqueue(trx, tasks),
    putBack: async (trx, task) => (await get()).putBack(trx, task),
    redeliver: async (trx, workerIds, which) => (await get()).redeliver(trx, workerIds, which),
    close: async () => (await opened)?.close(),
  };
}

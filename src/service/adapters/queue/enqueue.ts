import type { Transaction } from 'kysely';
import { fromKysely } from 'pg-boss';
import type { Log } from '../../rules/log.ts';
import { createBoss, heartbeatSeconds, type TaskKind } from './boss.ts';

/** What the queue carries: the kind and the id; everything else stands in the row. */
export interface Task {
  readonly kind: TaskKind;
  /** Of the job or file. */
  readonly id: string;
  /** Higher goes first; 0 is usual. */
  readonly priority?: number;
}

/** What stores call inside their transactions: a task is in the queue exactly when its row's change is committed. */
export interface Enqueuer {
  /**
   * Does nothing for a task that waits or runs already.
   * @internal
   */
  enqueue<Tables>(trx: Transaction<Tables>, tasks: readonly Task[]): Promise<void>;
  /**
   * Replaces the entry that its worker holds by a fresh one, so that the task starts elsewhere right after the commit.
   * @internal
   */
  putBack<Tables>(trx: Transaction<Tables>, task: Task): Promise<void>;
  /** Ends its connection at once; tasks stay in the queue. */
  close(): Promise<void>;
}

/** @throws EarshotError when the queue is not installed; Database.migrate() does that */
export async function createEnqueuer(url: string, log: Log): Promise<Enqueuer> {
  const boss = createBoss(url, log, { supervise: false, migrate: false, max: 1 });
  await boss.start();

  async function enqueue<Tables>(trx: Transaction<Tables>, tasks: readonly Task[]): Promise<void> {
    for (const kind of new Set(tasks.map((task) => task.kind))) {
      const entries = tasks
        .filter((task) => task.kind === kind)
        // insert() and not send(), which wants at least 10 s between heartbeats.
        .map(({ id, priority = 0 }) => ({ data: { id }, singletonKey: id, priority, heartbeatSeconds }));
      await boss.insert(kind, entries, { db: fromKysely(trx), returnId: false });
    }
  }

  return {
    enqueue,
    async putBack(trx, task) {
      const db = fromKysely(trx);
      const held = (await boss.findJobs(task.kind, { key: task.id, db })).filter(({ state }) => state === 'active');
      if (held.length > 0)
        await boss.cancel(
          task.kind,
          held.map(({ id }) => id),
          { db },
        );
      await enqueue(trx, [task]);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** The same, opened by the first who uses it. */
export function createLazyEnqueuer(open: () => Promise<Enqueuer>): Enqueuer {
  let opened: Promise<Enqueuer> | undefined;
  const get = (): Promise<Enqueuer> => (opened ??= open());
  return {
    enqueue: async (trx, tasks) => (await get()).enqueue(trx, tasks),
    putBack: async (trx, task) => (await get()).putBack(trx, task),
    close: async () => (await opened)?.close(),
  };
}

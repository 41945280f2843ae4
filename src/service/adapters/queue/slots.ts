import type { PgBoss } from 'pg-boss';
import { heartbeatRefreshSeconds, type TaskKind } from './boss.ts';

/** Each slot also looks by itself, should the looks fail to come. */
const backstopSeconds = 60;
/** Between looks while nothing notifies, as when the connection that listens is being made anew. */
const pollSeconds = 0.5;

/** What takes tasks of one kind. */
export interface Slots {
  /** Asks the queue now whether there is a task, unless all slots are busy; then the first that ends asks. */
  look(): void;
}

/**
 * Takes up to `slots` tasks of a kind at a time. Only one idle slot waits for the next: a notification wakes every worker
 * of pg-boss, and each asks the database. What takes a task opens the next slot, which asks for another one at once.
 * @param mayOpen false from when the queue stops
 */
export async function openSlots(
  boss: PgBoss,
  kind: TaskKind,
  slots: number,
  mayOpen: () => boolean,
  run: (id: string) => Promise<void>,
): Promise<Slots> {
  /** Workers of pg-boss without a task; one, but for a moment at the start of a task. */
  const idle = new Set<string>();
  let open = 0;

  const openOne = async (): Promise<void> => {
    open += 1;
    const worker = { id: '' };
    worker.id = await boss.work<{ id: string }>(
      kind,
      { pollingIntervalSeconds: pollSeconds, notifyPollingIntervalSeconds: backstopSeconds, heartbeatRefreshSeconds },
      async ([entry]) => {
        if (entry === undefined) return;
        idle.delete(worker.id);
        if (idle.size === 0 && open < slots && mayOpen()) await openOne();
        try {
          await run(entry.data.id);
        } finally {
          if (idle.size > 0 && mayOpen()) {
            open -= 1;
            await boss.offWork(kind, { id: worker.id, wait: false });
          } else {
            // Otherwise a worker sleeps after a short task although more are waiting.
            boss.notifyWorker(worker.id);
            idle.add(worker.id);
          }
        }
      },
    );
    // Its first fetch is under way, so that it has no task yet.
    idle.add(worker.id);
  };

  await openOne();
  return {
    look() {
      const [first] = idle;
      if (first !== undefined) boss.notifyWorker(first);
    },
  };
}

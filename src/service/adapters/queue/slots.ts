import type { PgBoss } from 'pg-boss';
import { heartbeatRefreshSeconds, type TaskKind } from './boss.ts';

/** Each slot also polls by itself, as a fallback. */
const backstopSeconds = 60;
/** Polling interval without notifications, for example while the listening connection reconnects. */
const pollSeconds = 0.5;

/** Handles tasks of one kind. */
export interface Slots {
  /** Polls the queue now, unless all slots are busy. */
  poll(): void;
}

/**
 * Handles up to `slots` tasks of a kind at a time. Only one slot is idle at a time, because a notification wakes every
 * pg-boss worker and each queries the database. A slot that gets a task opens the next one, which polls at once.
 * @param mayOpen false once the queue stops
 */
export async function openSlots(
  boss: PgBoss,
  kind: TaskKind,
  slots: number,
  mayOpen: () => boolean,
  run: (id: string) => Promise<void>,
): Promise<Slots> {
  /** pg-boss workers without a task; mostly one. */
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
            // Without this a worker sleeps after a short task although more are queued.
            boss.notifyWorker(worker.id);
            idle.add(worker.id);
          }
        }
      },
    );
    // Its first fetch has only begun: it has no task yet.
    idle.add(worker.id);
  };

  await openOne();
  return {
    poll() {
      const [first] = idle;
      if (first !== undefined) boss.notifyWorker(first);
    },
  };
}

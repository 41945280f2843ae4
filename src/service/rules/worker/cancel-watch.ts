import type { Log } from '../shared/log.ts';
import type { Heartbeat } from '../fleet/fleet.ts';

export interface CancelWatch {
  /** Calls back once when the job has a cancel request. Returns a function that stops watching. */
  watch(jobId: string, onCancel: () => void): () => void;
}

/**
 * Polls for cancel requests of all running jobs with one query, so that a cancelled job ends within a second. Does
 * nothing while no job is running.
 */
export function createCancelWatch(
  heartbeat: Pick<Heartbeat, 'cancelRequested'>,
  log: Log,
  everyMilliseconds = 300,
): CancelWatch {
  const watched = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;
  let failing = false;

  const ask = async (): Promise<void> => {
    try {
      for (const id of await heartbeat.cancelRequested([...watched.keys()])) {
        const callbacks = watched.get(id);
        watched.delete(id);
        for (const onCancel of callbacks ?? []) onCancel();
      }
      failing = false;
    } catch (thrown) {
      // Log once per outage, not at every poll.
      if (!failing) log.warn({ err: thrown }, 'Could not read cancel requests; retrying');
      failing = true;
    }
    timer = undefined;
    schedule();
  };
  const schedule = (): void => {
    if (timer === undefined && watched.size > 0) timer = setTimeout(() => void ask(), everyMilliseconds);
  };

  return {
    watch(jobId, onCancel) {
      const callbacks = watched.get(jobId) ?? new Set();
      watched.set(jobId, callbacks.add(onCancel));
      schedule();
      return () => {
        callbacks.delete(onCancel);
        if (callbacks.size === 0 && watched.get(jobId) === callbacks) watched.delete(jobId);
      };
    },
  };
}

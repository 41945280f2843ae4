import type { Log } from '../log.ts';
import type { JobStore } from '../ports.ts';

export interface CancelWatch {
  /** Calls back once when cancelling the job is asked for. Answers how to stop watching. */
  watch(jobId: string, onCancel: () => void): () => void;
}

/**
 * One question for all running jobs, often enough that a job ends within a second of being cancelled; none while
 * nothing runs.
 */
export function createCancelWatch(
  jobs: Pick<JobStore, 'cancelRequested'>,
  log: Log,
  everyMilliseconds = 250,
): CancelWatch {
  const watched = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;
  let failing = false;

  const ask = async (): Promise<void> => {
    try {
      for (const id of await jobs.cancelRequested([...watched.keys()])) {
        const callbacks = watched.get(id);
        watched.delete(id);
        for (const onCancel of callbacks ?? []) onCancel();
      }
      failing = false;
    } catch (thrown) {
      // Once per outage, not four times a second.
      if (!failing) log.warn({ err: thrown }, 'Could not ask which jobs are to be cancelled; asking again');
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

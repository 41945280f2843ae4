import type { Log } from '../log.ts';

export interface Periodic {
  /** Stops, and resolves when the current call has ended. */
  stop(): Promise<void>;
}

/**
 * Calls the task now and then periodically, never concurrently. Errors are logged, and the next call follows as usual.
 */
export function repeat(name: string, everyMilliseconds: number, task: () => Promise<unknown>, log: Log): Periodic {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let current = Promise.resolve();

  const turn = async (): Promise<void> => {
    try {
      await task();
    } catch (thrown) {
      log.warn({ err: thrown, task: name }, 'Housekeeping failed; retrying at the next round');
    }
    if (!stopped) timer = setTimeout(next, everyMilliseconds);
  };
  const next = (): void => {
    current = turn();
  };
  next();

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}

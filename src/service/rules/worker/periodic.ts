import type { Log } from '../log.ts';

export interface Periodic {
  /** Resolves when a call under way has ended; there will be no other. */
  stop(): Promise<void>;
}

/**
 * Calls the task now and then again and again, never twice at a time. A failure is logged, and the next call comes all
 * the same.
 */
export function repeat(name: string, everyMilliseconds: number, task: () => Promise<unknown>, log: Log): Periodic {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let current = Promise.resolve();

  const turn = async (): Promise<void> => {
    try {
      await task();
    } catch (thrown) {
      log.warn({ err: thrown, task: name }, 'Housekeeping failed; it will be tried again');
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

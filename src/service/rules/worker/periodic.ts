import type { Leadership, StillLeads } from '../fleet/leadership.ts';
import type { Log } from '../shared/log.ts';

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

/** A task of the housekeeping. */
export type Round = (stillLeads: StillLeads) => Promise<unknown>;

/** How often a worker that does not lead asks whether it does now. */
const betweenQuestionsMs = 5000;

/** The same for a task of the fleet, while this process leads. */
export function repeatLeading(
  name: string,
  everyMilliseconds: number,
  { leadership, round, log }: { readonly leadership: Leadership; readonly round: Round; readonly log: Log },
): Periodic {
  let dueAt = -Infinity;
  return repeat(
    name,
    Math.min(betweenQuestionsMs, everyMilliseconds),
    async () => {
      const at = performance.now();
      if (at < dueAt) return;
      const stillLeads = await leadership.lead();
      if (stillLeads === null) return;
      dueAt = at + everyMilliseconds;
      await round(stillLeads);
      await leadership.noteRound(name);
    },
    log,
  );
}

import type { Unavailability } from '../../../library/contract/unavailable.ts';
import { forEachTool, type FactsByTool } from './tool-facts.ts';

/** Younger answers are returned as they are. */
const freshMs = 1000;
/** Younger answers are returned while a new check runs; older ones wait for it. */
const usableMs = 10_000;

type Check = () => Promise<Unavailability | null>;

/**
 * The same tools, which check for their models and native parts at most once a second: a check takes over a hundred
 * system calls, and lists of tools and accounts are requested all the time. Changes show after a second.
 * @param clock monotonic milliseconds; default: since the process began
 */
export function rememberAvailability(tools: FactsByTool, clock: () => number = () => performance.now()): FactsByTool {
  return Object.freeze(
    forEachTool((id) => {
      const tool = tools[id];
      return Object.freeze({ ...tool, unavailable: remembering(() => tool.unavailable(), clock) });
    }),
  );
}

function remembering(check: Check, clock: () => number): Check {
  let known: { readonly answer: Unavailability | null; readonly at: number } | undefined;
  let checking: Promise<Unavailability | null> | undefined;
  const checkAgain = (): Promise<Unavailability | null> => {
    if (checking) return checking;
    // The time of its start: changes during the check may have been missed.
    const at = clock();
    checking = check()
      .then((answer) => {
        known = { answer, at };
        return answer;
      })
      .finally(() => {
        checking = undefined;
      });
    return checking;
  };
  return async () => {
    const age = known === undefined ? Infinity : clock() - known.at;
    if (known === undefined || age > usableMs) return checkAgain();
    // Runs in the background; its error reaches callers that wait for it.
    if (age > freshMs) checkAgain().catch(() => {});
    return known.answer;
  };
}

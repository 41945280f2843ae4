import type { Unavailability } from '../../library/contract/unavailable.ts';
import { forEachTool, type FactsByTool } from './tool-facts.ts';

/** How long an answer is taken for what is. */
const freshMs = 1000;
/** How long an answer does while a new look is under way; after a longer silence that look is waited for. */
const usableMs = 10_000;

type Look = () => Promise<Unavailability | null>;

/**
 * The same tools, which look at the disk for their parts and models once a second at most, however many ask: a look is
 * over a hundred calls of the system, and lists of tools and accounts are asked for all day. What is installed or removed
 * shows a second later.
 * @param clock milliseconds that only grow; default: since the process began
 */
export function rememberAvailability(tools: FactsByTool, clock: () => number = () => performance.now()): FactsByTool {
  return Object.freeze(
    forEachTool((id) => {
      const tool = tools[id];
      return Object.freeze({ ...tool, unavailable: remembering(() => tool.unavailable(), clock) });
    }),
  );
}

function remembering(look: Look, clock: () => number): Look {
  let known: { readonly answer: Unavailability | null; readonly at: number } | undefined;
  let looking: Promise<Unavailability | null> | undefined;
  const lookAnew = (): Promise<Unavailability | null> => {
    if (looking) return looking;
    // As of its beginning: what changes meanwhile may have been missed.
    const at = clock();
    looking = look()
      .then((answer) => {
        known = { answer, at };
        return answer;
      })
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  return async () => {
    const age = known === undefined ? Infinity : clock() - known.at;
    if (known === undefined || age > usableMs) return lookAnew();
    // Nobody waits for this one; what it fails with is told to those who do.
    if (age > freshMs) lookAnew().catch(() => {});
    return known.answer;
  };
}

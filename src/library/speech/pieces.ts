import { piecesUnderWay } from '../core/lanes.ts';
import type { FanOut } from '../core/fan-out.ts';

export interface PieceOptions {
  /** Threads that work on pieces at a time, see `FanOut.lanes`. */
  readonly lanes: number;
  readonly signal: AbortSignal;
}

/**
 * Runs pieces of work over the cores and hands their results on in the pieces' order, with no more of either in memory
 * than are under way. Fails with the first failure, after every piece under way has come back.
 * @param pieces made one by one, when there is room for another
 * @throws AbortError
 */
export async function runPieces<Item, Result>(
  fanOut: FanOut,
  [taskModuleUrl, exportName]: readonly [taskModuleUrl: string, exportName: string],
  pieces: Iterable<Item>,
  take: (result: Result) => void,
  { lanes, signal }: PieceOptions,
): Promise<void> {
  const most = piecesUnderWay(fanOut, lanes);
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const underWay: Promise<Result>[] = [];
  const takeOldest = async (): Promise<void> => take(await (underWay.shift() as Promise<Result>));
  try {
    for (const piece of pieces) {
      const work = fanOut
        .map<Item, Result>(taskModuleUrl, exportName, [piece], { signal: either })
        .then(([result]) => result as Result);
      // Whoever waits for it hears of a failure; until then it is not an unhandled one.
      work.catch(() => undefined);
      underWay.push(work);
      if (underWay.length >= most) await takeOldest();
    }
    while (underWay.length > 0) await takeOldest();
  } catch (thrown) {
    failed.abort();
    await Promise.allSettled(underWay);
    throw thrown;
  }
}

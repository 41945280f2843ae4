import { piecesUnderWay } from '../core/machine/lanes.ts';
import type { FanOut } from '../core/machine/fan-out.ts';

export interface PieceOptions {
  /** Threads that work on pieces at a time, see `FanOut.lanes`. */
  readonly lanes: number;
  readonly signal: AbortSignal;
}

/**
 * Runs pieces of work on the cores and yields their results in the pieces' order. Only those in flight are in memory.
 * Fails with the first failure, after all pieces in flight have returned.
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
      // The awaiting code gets the failure; until then it must not count as unhandled.
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

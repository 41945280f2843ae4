import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../../core/abort.ts';
import type { FanOut, FanOutTask } from '../../../core/fan-out.ts';

/** Runs every piece in this thread, with a turn of the event loop between them. */
export function runHere(signal: AbortSignal): FanOut {
  return {
    lanes: () => 1,
    // One thread has room.
    clearThreads: () => Promise.resolve(),
    async map<Item, Result>(moduleUrl: string, exportName: string, items: readonly Item[]): Promise<Result[]> {
      const module = (await import(moduleUrl)) as Readonly<
        Record<string, (task: FanOutTask<Item>) => Promise<Result> | Result>
      >;
      const work = module[exportName];
      if (!work) throw new TypeError(`Expected ${moduleUrl} to export ${exportName}`);
      const results: Result[] = [];
      for (const item of items) {
        await turn();
        throwIfAborted(signal);
        results.push(await work({ item, cancelled: () => signal.aborted, transfer: () => undefined }));
      }
      return results;
    },
  };
}

/** One piece on a runner. */
export async function runPiece<Item, Result>(
  runner: FanOut,
  moduleUrl: string,
  exportName: string,
  item: Item,
  buffers: readonly ArrayBuffer[] = [],
): Promise<Result> {
  const [result] = await runner.map<Item, Result>(moduleUrl, exportName, [item], { transfer: () => buffers });
  return result as Result;
}

/**
 * Gives back the memory of arrays that nobody reads any more, now and not when the collector comes by: pieces are
 * megabytes, and the heap would grow by what lies about. The arrays are empty afterwards.
 */
export function release(...arrays: readonly Float32Array<ArrayBuffer>[]): void {
  for (const { buffer } of arrays) if (!buffer.detached) buffer.transfer(0);
}

/** Hands results on in the order in which their work was begun, with at most `most` of them waited for at a time. */
export interface InOrder {
  /** Resolves when there is room for more. Rejects with the first failure of any work. */
  add(work: Promise<() => void>): Promise<void>;
  /** Resolves when everything has been handed on. */
  drain(): Promise<void>;
}

export function createInOrder(most: number): InOrder {
  const waiting: Promise<() => void>[] = [];
  const handOnOne = async (): Promise<void> => {
    const handOn = await (waiting.shift() as Promise<() => void>);
    handOn();
  };
  return {
    async add(work) {
      // Whoever waits for it hears of a failure; until then it is not an unhandled one.
      work.catch(() => undefined);
      waiting.push(work);
      while (waiting.length > most) await handOnOne();
    },
    async drain() {
      while (waiting.length > 0) await handOnOne();
    },
  };
}

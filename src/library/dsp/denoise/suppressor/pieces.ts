import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../../core/abort.ts';
import type { FanOut, FanOutTask } from '../../../core/machine/fan-out.ts';
import { loadModule } from '../../../core/running-files.ts';

/** Runs every piece in this thread, and lets the event loop run between them. */
export function runHere(signal: AbortSignal): FanOut {
  return {
    lanes: () => 1,
    // A single thread needs no clearing.
    clearThreads: () => Promise.resolve(),
    async map<Item, Result>(moduleUrl: string, exportName: string, items: readonly Item[]): Promise<Result[]> {
      const module = (await loadModule(moduleUrl)) as Readonly<
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

/** Runs one piece. */
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
 * Frees the memory of unused arrays now, without waiting for garbage collection: pieces are megabytes, and the heap
 * would grow. The arrays are empty afterwards.
 */
export function release(...arrays: readonly Float32Array<ArrayBuffer>[]): void {
  for (const { buffer } of arrays) if (!buffer.detached) buffer.transfer(0);
}

/** Emits results in the order in which their work was started, with at most `most` of them pending. */
export interface InOrder {
  /** Resolves when there is room for more. Rejects with the first failure of any work. */
  add(work: Promise<() => void>): Promise<void>;
  /** Resolves when everything has been emitted. */
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
      // The awaiting code gets a failure; until then it must not count as unhandled.
      work.catch(() => undefined);
      waiting.push(work);
      while (waiting.length > most) await handOnOne();
    },
    async drain() {
      while (waiting.length > 0) await handOnOne();
    },
  };
}

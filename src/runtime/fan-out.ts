import { Piscina } from 'piscina';
import { AbortError } from '../core/abort.ts';
import { EarshotError, type ErrorJson } from '../core/errors.ts';
import type { FanOut } from '../core/fan-out.ts';
import { runningExtension } from './protocol.ts';

/** What a fan-out thread gets. `cancelFlag` holds one int32: not 0 means stop. */
export interface PieceOfWork {
  readonly taskModuleUrl: string;
  readonly exportName: string;
  readonly item: unknown;
  readonly cancelFlag: SharedArrayBuffer;
}

/** What it answers. Errors travel as data: thrown ones lose their code on the way. */
export type PieceResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly aborted: true }
  | { readonly ok: false; readonly aborted: false; readonly error: ErrorJson };

/** A fan-out over at most `parallelism` threads, which start when first needed and live as long as the process. */
export function createFanOut(parallelism: number, jobSignal: AbortSignal): FanOut {
  let pool: Piscina<PieceOfWork, PieceResult> | undefined;

  return {
    async map<Item, Result>(
      taskModuleUrl: string,
      exportName: string,
      items: readonly Item[],
      options: Parameters<FanOut['map']>[3] = {},
    ): Promise<Result[]> {
      const signal = options.signal ? AbortSignal.any([jobSignal, options.signal]) : jobSignal;
      if (signal.aborted) throw new AbortError();
      if (items.length === 0) return [];
      pool ??= createPool(parallelism);
      const running = pool;
      const cancelFlag = new SharedArrayBuffer(4);
      const flag = new Int32Array(cancelFlag);
      const cancel = (): void => {
        Atomics.store(flag, 0, 1);
      };
      let firstError: EarshotError | undefined;

      const runOne = async (item: Item): Promise<Result | undefined> => {
        const transferList = [...(options.transfer?.(item) ?? [])];
        // Never piscina's own signal: it terminates the thread, and a thread that uses node-av takes the process with
        // it.
        const answer = await running
          .run({ taskModuleUrl, exportName, item, cancelFlag }, { transferList })
          .catch((thrown: unknown): PieceResult => ({
            ok: false,
            aborted: false,
            error: EarshotError.from(thrown).toJSON(),
          }));
        if (answer.ok) return answer.value as Result;
        if (!answer.aborted) firstError ??= EarshotError.fromJSON(answer.error);
        cancel();
        return undefined;
      };

      signal.addEventListener('abort', cancel, { once: true });
      try {
        // All pieces come back before anything is thrown: no thread may still write into what the caller frees.
        const results = await Promise.all(items.map(runOne));
        if (signal.aborted) throw new AbortError();
        if (firstError) throw firstError;
        return results as Result[];
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
  };
}

function createPool(parallelism: number): Piscina<PieceOfWork, PieceResult> {
  return new Piscina({
    filename: new URL(`./fan-out-thread${runningExtension}`, import.meta.url).href,
    minThreads: 1,
    maxThreads: Math.max(1, parallelism),
    // An idle thread is never ended, see above.
    idleTimeout: Infinity,
    // A thread must keep turning its own event loop while it waits for work.
    atomics: 'disabled',
  });
}

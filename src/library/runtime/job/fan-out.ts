import type { Piscina } from 'piscina';
import { AbortError } from '../../core/abort.ts';
import { EarshotError, type ErrorJson } from '../../core/errors/errors.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import { moduleUrl } from '../../core/running-files.ts';

/** A piece of work for a fan-out thread. `cancelFlag` holds one int32: not 0 means stop. */
export interface PieceOfWork {
  readonly taskModuleUrl: string;
  readonly exportName: string;
  readonly item: unknown;
  readonly cancelFlag: SharedArrayBuffer;
}

/** The answer. Errors travel as data: thrown ones lose their code on the way. */
export type PieceResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly aborted: true }
  | { readonly ok: false; readonly aborted: false; readonly error: ErrorJson };

/** Compiled code of one thread; ours takes 2 MB. */
const codeRangeSizeMb = 32;

/** A run's memory unless its caller says otherwise. */
const usualMemoryBytes = 2 * 2 ** 30;
/** The run's own thread: decoding, encoding, reading and writing. */
const processBytes = 320e6;
/** Share of its memory that a run plans with. The rest is for files that need more than the measured ones. */
const plannedShare = 0.8;

/** A thread that has run networks and released them: its heap and fragmented allocations. */
const idleThreadBytes = 40e6;

interface LaneNeeds {
  /** Memory of one thread. */
  readonly threadBytes: number;
  /** Memory that all threads share. */
  readonly sharedBytes: number;
  /** Threads that run already: idle ones in this stage take memory, too. */
  readonly started: number;
}

/** How many threads fit in memory, a fifth of it left free; at least 1. */
function lanesInMemory(memoryBytes: number, { threadBytes, sharedBytes, started }: LaneNeeds): number {
  const forThreads = plannedShare * memoryBytes - processBytes - sharedBytes;
  const lanes = Math.floor(forThreads / threadBytes);
  if (started <= lanes || threadBytes <= idleThreadBytes) return Math.max(1, lanes);
  const besideIdle = Math.floor((forThreads - started * idleThreadBytes) / (threadBytes - idleThreadBytes));
  return Math.max(1, Math.min(lanes, besideIdle));
}

const clearTask = moduleUrl('library/runtime/job/clear-thread-task');

/** One pool per process: its threads live as long as the process. */
let pool: Promise<Piscina<PieceOfWork, PieceResult>> | undefined;
let running: Piscina<PieceOfWork, PieceResult> | undefined;

export interface FanOutOptions {
  /** Memory of the run, in bytes; default 2 GiB. */
  readonly memoryBytes?: number;
  /** Of the process, for all its runs; the first run's value counts. Default: `most`. */
  readonly mostThreads?: number;
}

/** Of a run whose cores change while it runs. */
export interface RunFanOut extends FanOut {
  /** From now on so many pieces run at the same time; those that run already end first. */
  setCores(cores: number): void;
}

/** For one run: at most `most` pieces run at the same time, on threads that start when first needed. */
export function createFanOut(
  most: number,
  jobSignal: AbortSignal,
  { memoryBytes = usualMemoryBytes, mostThreads = most }: FanOutOptions = {},
): RunFanOut {
  let parallelism = Math.max(1, most);
  let busy = 0;
  const queue: (() => void)[] = [];
  const startWaiting = (): void => {
    while (busy < parallelism) {
      const next = queue.shift();
      if (!next) return;
      busy += 1;
      next();
    }
  };
  const inPlace = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    if (busy < parallelism) busy += 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      busy -= 1;
      startWaiting();
    }
  };

  return {
    setCores(cores) {
      parallelism = Math.max(1, Math.min(cores, mostThreads));
      startWaiting();
    },
    lanes(threadBytes, sharedBytes = 0) {
      const started = running?.threads.length ?? 0;
      return Math.min(parallelism, lanesInMemory(memoryBytes, { threadBytes, sharedBytes, started }));
    },
    async clearThreads() {
      const threads = running?.threads.length ?? 0;
      const arrived = new SharedArrayBuffer(4);
      const cancelFlag = new SharedArrayBuffer(4);
      const piece = { taskModuleUrl: clearTask, exportName: 'clearThread', item: { arrived, threads }, cancelFlag };
      if (threads === 0) return;
      await Promise.all(Array.from({ length: threads }, async () => running?.run(piece)));
      const { freeUnusedMemory } = await import('../../kernels/free-memory.ts');
      freeUnusedMemory();
    },
    async map<Item, Result>(
      taskModuleUrl: string,
      exportName: string,
      items: readonly Item[],
      options: Parameters<FanOut['map']>[3] = {},
    ): Promise<Result[]> {
      const signal = options.signal ? AbortSignal.any([jobSignal, options.signal]) : jobSignal;
      if (signal.aborted) throw new AbortError();
      if (items.length === 0) return [];
      pool ??= createPool(mostThreads);
      const threads = (running = await pool);
      const cancelFlag = new SharedArrayBuffer(4);
      const flag = new Int32Array(cancelFlag);
      const cancel = (): void => {
        Atomics.store(flag, 0, 1);
      };
      let firstError: EarshotError | undefined;

      const runOne = async (item: Item): Promise<Result | undefined> => {
        if (Atomics.load(flag, 0) !== 0) return undefined;
        const transferList = [...(options.transfer?.(item) ?? [])];
        // Never piscina's own signal: it terminates the thread, and terminating a thread that uses node-av kills the
        // process.
        const answer = await threads
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
      if (signal.aborted) cancel();
      try {
        // Wait for all pieces before throwing: no thread may still write into memory that the caller frees.
        const results = await Promise.all(items.map((item) => inPlace(() => runOne(item))));
        if (signal.aborted) throw new AbortError();
        if (firstError) throw firstError;
        return results as Result[];
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
  };
}

/** Loaded on first use, since most jobs never fan out. */
async function createPool(maxThreads: number): Promise<Piscina<PieceOfWork, PieceResult>> {
  const { Piscina } = await import('piscina');
  return new Piscina({
    filename: moduleUrl('library/runtime/job/fan-out-thread'),
    minThreads: 1,
    maxThreads,
    // Never end an idle thread, see above.
    idleTimeout: Infinity,
    // A thread's own event loop must keep turning while it waits for work.
    atomics: 'disabled',
    // By default V8 reserves 510 MB of address space for the code of each thread and uses 2 MB.
    resourceLimits: { codeRangeSizeMb },
  });
}

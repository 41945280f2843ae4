// An instance of the module: its functions, and its memory. What a call brings along is copied in, and results are
// copied back when it is complete.
import type { Handle } from '../load.ts';
import type { GivenPlanes } from './checks.ts';

type Numbers = Int16Array | Float32Array | Float64Array | Int32Array | Uint32Array | Int8Array | Uint8Array;

type Pushed = 'peaks' | 'loudness' | 'truePeak' | 'stats' | 'envelope' | 'spectrum';
type Kept =
  | 'limiter'
  | 'fir'
  | 'rateConverter'
  | 'declip'
  | 'stft'
  | 'rnnoiseNetwork'
  | 'rnnoise'
  | 'logMel'
  | 'alignment'
  | 'fbank';
type Network = 'decoder' | 'encoder';
/** What native/wasm exports. */
export type ExportName =
  | 'memoryTake'
  | 'memoryGive'
  | 'numbers'
  | 'list'
  | `${Pushed | Kept | Network}${'Create' | 'Free'}`
  | `${Pushed}${'Push' | 'Finish' | 'Result'}`
  | `${'limiter' | 'fir'}${'Latency' | 'Process'}`
  | `rateConverter${'Ready' | 'Rest' | 'Process' | 'Flush' | 'Close'}`
  | `${'rnnoise' | 'logMel'}Process`
  | `stft${'Fits' | 'Forward' | 'Inverse'}`
  | `rnnoiseLayer${'Inputs' | 'Outputs' | 'InBytes'}`
  | `alignment${'Push' | 'Trace' | 'Found' | 'Starts' | 'Ends' | 'Costs'}`
  | `decoder${'Weights' | 'OwnLength' | 'CrossBytes' | 'Open' | 'Step'}`
  | `encoder${'Weights' | 'ConvolutionLength' | 'ConvolutionPack' | 'Encode'}`
  | `weight${'Bytes' | 'Matrices' | 'Vectors' | 'MatrixPlace' | 'VectorPlace' | 'MatrixPack'}`
  | 'peaksLevel'
  | 'loudnessSeries'
  | 'kWeightingFilter'
  | 'limiterMaxReduction'
  | 'declipFits'
  | 'declipRestore'
  | 'resample'
  | 'rnnoiseNetworkSetLayer'
  | 'scoreTokens'
  | 'likeliestTokens'
  | 'tokenTimes'
  | 'fbankRows'
  | 'holdsCodedSound'
  | 'nearestRow'
  | 'applyGain'
  | 'mixInto'
  | 'crossfade'
  | 'tileRanges'
  | 'toPcm16';

type Exports = Readonly<Record<ExportName, (...numbers: number[]) => number>> & {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
};

/** A compiled module; it may be given to any number of threads. */
export type WasmModule = object & { readonly earshotModule: never };

/** What we use of WebAssembly, whose types come with a browser's. */
const { WebAssembly: engine } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => WasmModule;
    readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: Exports };
    readonly RuntimeError: new () => Error;
  };
};

export const compileModule = (bytes: Uint8Array): WasmModule => new engine.Module(bytes);

/** A kernel stopped in the middle: it found no memory. What the instance holds cannot be used any more. */
export const isTrap = (thrown: unknown): boolean => thrown instanceof engine.RuntimeError;

// The C library would write its last words to a file; there is none.
const noFile = (): number => 8;
const imports = { wasi_snapshot_preview1: { fd_close: noFile, fd_seek: noFile, fd_write: noFile } };

const line = 64;
const leastBlock = 65_536;

/** A kernel's state inside an instance. */
class Inside<Facts> {
  readonly kind: Kind<Facts>;
  readonly at: number;
  readonly facts: Facts;
  constructor(kind: Kind<Facts>, at: number, facts: Facts) {
    this.kind = kind;
    this.at = at;
    this.facts = facts;
  }
}

/** The kernels of one kind in one instance: makes their handles, and knows them again. */
export interface Kind<Facts> {
  /** @param at the kernel's address */
  handle(at: number, facts: Facts): Handle;
  /** @throws TypeError for anything else, also for a kernel of an instance that is lost */
  of(handle: unknown): { readonly at: number; readonly facts: Facts };
}

export class Instance {
  readonly run: Exports;
  #bytes: Uint8Array<ArrayBuffer>;
  /** Memory that calls borrow; a call that needed several has them replaced by one as large. */
  #blocks: { readonly at: number; readonly size: number }[] = [];
  #used = 0;
  #results: { readonly array: Numbers; readonly at: number; readonly count: number }[] = [];
  #lost = false;
  #gone = new FinalizationRegistry<readonly [ExportName, number]>(([free, at]) => {
    if (!this.#lost) this.run[free](at);
  });

  constructor(module: WasmModule) {
    this.run = new engine.Instance(module, imports).exports;
    this.run._initialize();
    this.#bytes = new Uint8Array(this.run.memory.buffer);
  }

  /** The whole memory as it is now: it is another one when it has grown. */
  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes.buffer !== this.run.memory.buffer) this.#bytes = new Uint8Array(this.run.memory.buffer);
    return this.#bytes;
  }

  kind<Facts>(free: ExportName): Kind<Facts> {
    const kind: Kind<Facts> = {
      handle: (at, facts) => {
        const handle = new Inside(kind, at, facts);
        this.#gone.register(handle, [free, at]);
        return handle as unknown as Handle;
      },
      of(handle) {
        if (handle instanceof Inside && handle.kind === kind) return handle as Inside<Facts>;
        throw new TypeError("Expected this kernel's own handle but received another value");
      },
    };
    return kind;
  }

  /**
   * Memory until `memoryGive`.
   * @throws RangeError when there is no more
   */
  take(bytes: number): number {
    const at = bytes < 2 ** 32 - line ? this.run.memoryTake(bytes) >>> 0 : 0;
    if (at === 0) throw new RangeError(`There is no WebAssembly memory for ${bytes} bytes more`);
    return at;
  }

  /** Memory of this call. */
  room(bytes: number): number {
    const wanted = Math.ceil(bytes / line) * line;
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#used + wanted <= last.size) {
      const at = last.at + this.#used;
      this.#used += wanted;
      return at;
    }
    const size = Math.max(wanted, leastBlock);
    const block = { at: this.take(size), size };
    this.#blocks.push(block);
    this.#used = wanted;
    return block.at;
  }

  /** The address of a copy of its first elements. */
  in(array: Numbers, count: number = array.length): number {
    const at = this.room(count * array.BYTES_PER_ELEMENT);
    // Memory that was taken away has no elements, and no view.
    if (count > 0) this.bytes.set(new Uint8Array(array.buffer, array.byteOffset, count * array.BYTES_PER_ELEMENT), at);
    return at;
  }

  /** The address of memory whose contents will be the array's first elements. */
  out(array: Numbers, count: number): number {
    const at = this.room(count * array.BYTES_PER_ELEMENT);
    if (count > 0) this.#results.push({ array, at, count });
    return at;
  }

  /** The same for elements that the call changes. */
  through(array: Numbers, count: number): number {
    const at = this.in(array, count);
    if (count > 0) this.#results.push({ array, at, count });
    return at;
  }

  /** The address of a list of addresses. */
  pointers(addresses: readonly number[]): number {
    return this.in(Uint32Array.from(addresses));
  }

  /** The address of a list of planes that the call reads. */
  planesIn({ planes, frames }: GivenPlanes): number {
    return this.pointers(planes.map((plane) => this.in(plane, frames)));
  }

  /** The same of planes that it fills, or changes where `how` is `through`. */
  planesOut({ planes, frames }: GivenPlanes, how: 'out' | 'through' = 'out'): number {
    return this.pointers(planes.map((plane) => this[how](plane, frames)));
  }

  /** The list that the last function gave. */
  list<Given extends Numbers>(
    Elements: new (buffer: ArrayBuffer, at: number, count: number) => Given,
    count: number,
  ): Given {
    return new Elements(this.run.memory.buffer, this.run.list() >>> 0, count).slice() as Given;
  }

  /** The numbers that the last function gave. */
  numbers(): Float64Array {
    return new Float64Array(this.run.memory.buffer, this.run.numbers() >>> 0, 8).slice();
  }

  /** Copies results back and has the call's memory for the next one. */
  call<Given>(work: () => Given): Given {
    try {
      const given = work();
      for (const { array, at, count } of this.#results) {
        const bytes = count * array.BYTES_PER_ELEMENT;
        new Uint8Array(array.buffer, array.byteOffset, bytes).set(this.bytes.subarray(at, at + bytes));
      }
      return given;
    } catch (thrown) {
      this.#lost ||= isTrap(thrown);
      throw thrown;
    } finally {
      this.#used = 0;
      if (this.#results.length > 0) this.#results = [];
      if (this.#blocks.length > 1 && !this.#lost) this.#join();
    }
  }

  #join(): void {
    const size = this.#blocks.reduce((sum, block) => sum + block.size, 0);
    for (const { at } of this.#blocks) this.run.memoryGive(at);
    this.#blocks = [];
    const at = this.run.memoryTake(size) >>> 0;
    if (at !== 0) this.#blocks = [{ at, size }];
  }
}

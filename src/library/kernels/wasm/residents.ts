// Copies of weights and of what an encoder heard, which many calls read: they stay inside as long as JavaScript keeps
// the memory that they were copied from.
import type { Instance } from './instance.ts';

/** An array as `new Uint8Array(SharedArrayBuffer)` or a Float32Array: memory that no one writes to any more. */
type Kept = Uint8Array | Float32Array;

interface Resident {
  readonly of: WeakRef<ArrayBufferLike>;
  readonly at: number;
}

export class Residents {
  readonly #instance: Instance;
  readonly #known = new WeakMap<ArrayBufferLike, Resident>();
  #all: Resident[] = [];

  constructor(instance: Instance) {
    this.#instance = instance;
  }

  /** The address of the array's elements inside. */
  at(array: Kept): number {
    const { buffer } = array;
    const known = this.#known.get(buffer);
    if (known !== undefined) return known.at + array.byteOffset;
    this.#sweep();
    const bytes = new Uint8Array(buffer);
    const at = this.#instance.take(bytes.length);
    this.#instance.bytes.set(bytes, at);
    const made = { of: new WeakRef(buffer), at };
    this.#known.set(buffer, made);
    this.#all.push(made);
    return at + array.byteOffset;
  }

  /** Its memory has other contents now. */
  forget({ buffer }: Kept): void {
    const known = this.#known.get(buffer);
    if (known === undefined) return;
    this.#known.delete(buffer);
    this.#all = this.#all.filter((each) => each !== known);
    this.#instance.run.memoryGive(known.at);
  }

  /** Frees copies of memory that was collected or taken away: a window's are ten megabytes. */
  #sweep(): void {
    this.#all = this.#all.filter(({ of, at }) => {
      const buffer = of.deref();
      if (buffer !== undefined && !('detached' in buffer && buffer.detached)) return true;
      this.#instance.run.memoryGive(at);
      return false;
    });
  }
}

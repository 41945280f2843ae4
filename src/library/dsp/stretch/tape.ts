/** Samples from a place in a sound on; earlier ones are dropped as they are no longer needed. */
export class Tape {
  private samples = new Float32Array(0);
  private first = 0;
  private length = 0;

  /** Index behind the last sample. */
  get end(): number {
    return this.first + this.length;
  }

  push(block: Float32Array): void {
    if (this.length + block.length > this.samples.length) {
      const larger = new Float32Array(2 * (this.length + block.length));
      larger.set(this.samples.subarray(0, this.length));
      this.samples = larger;
    }
    this.samples.set(block, this.length);
    this.length += block.length;
  }

  /** From a sample on, which may lie before the first or behind the last: there is silence. */
  read(from: number, frames: number, into: Float32Array): Float32Array {
    const start = from - this.first;
    if (start >= 0 && start + frames <= this.length) return this.samples.subarray(start, start + frames);
    into.fill(0);
    const [begin, end] = [Math.max(0, start), Math.min(this.length, start + frames)];
    if (end > begin) into.set(this.samples.subarray(begin, end), begin - start);
    return into;
  }

  dropBefore(index: number): void {
    const count = Math.min(this.length, index - this.first);
    // Moved seldom, so that each sample is moved about once.
    if (count < this.length / 2) return;
    this.samples.copyWithin(0, count, this.length);
    this.first += count;
    this.length -= count;
  }
}

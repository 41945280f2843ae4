/**
 * A list of floats that grows: 4 bytes a value while it does and after. Buffers are moved and not copied beside the old
 * ones, so that no garbage of megabytes waits for a collector that sees little reason to come.
 */
export class FloatList {
  private data = new Float32Array(4096);
  private count = 0;

  push(value: number): void {
    // By a quarter: what is reserved and never used stays small.
    if (this.count === this.data.length) this.data = moved(this.data, Math.ceil(this.count * 1.25));
    this.data[this.count] = value;
    this.count += 1;
  }

  /** Hands the values over; the list is empty afterwards. */
  take(): Float32Array {
    const values = moved(this.data, this.count);
    this.data = new Float32Array(4096);
    this.count = 0;
    return values;
  }
}

const moved = (values: Float32Array<ArrayBuffer>, length: number): Float32Array<ArrayBuffer> =>
  new Float32Array(values.buffer.transfer(length * Float32Array.BYTES_PER_ELEMENT));

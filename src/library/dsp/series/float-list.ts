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

/** The same for small whole numbers, a byte each: rows of them are appended. */
export class ByteList {
  private data = new Int8Array(4096);
  private count = 0;

  /** @param row whole numbers; what lies beyond a byte is its nearest end */
  push(row: Float32Array): void {
    if (this.count + row.length > this.data.length)
      this.data = new Int8Array(this.data.buffer.transfer(Math.ceil((this.count + row.length) * 1.25)));
    for (const value of row) {
      this.data[this.count] = Math.max(-127, Math.min(127, value));
      this.count += 1;
    }
  }

  /** Hands the values over; the list is empty afterwards. */
  take(): Int8Array {
    const values = new Int8Array(this.data.buffer.transfer(this.count));
    this.data = new Int8Array(4096);
    this.count = 0;
    return values;
  }
}

const moved = (values: Float32Array<ArrayBuffer>, length: number): Float32Array<ArrayBuffer> =>
  new Float32Array(values.buffer.transfer(length * Float32Array.BYTES_PER_ELEMENT));

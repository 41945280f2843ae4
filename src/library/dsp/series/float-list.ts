/**
 * A growing list of floats with 4 bytes per value. Buffers are moved rather than copied, so that no megabytes wait for
 * garbage collection.
 */
export class FloatList {
  private data = new Float32Array(4096);
  private count = 0;

  push(value: number): void {
    // By a quarter, to keep unused reserves small.
    if (this.count === this.data.length) this.data = moved(this.data, Math.ceil(this.count * 1.25));
    this.data[this.count] = value;
    this.count += 1;
  }

  /** Returns the values; the list is empty afterwards. */
  take(): Float32Array {
    const values = moved(this.data, this.count);
    this.data = new Float32Array(4096);
    this.count = 0;
    return values;
  }
}

/** The same for small integers, a byte each: rows of them are appended. */
export class ByteList {
  private data = new Int8Array(4096);
  private count = 0;

  /** @param row integers; values beyond a byte are clamped */
  push(row: Float32Array): void {
    if (this.count + row.length > this.data.length)
      this.data = new Int8Array(this.data.buffer.transfer(Math.ceil((this.count + row.length) * 1.25)));
    for (const value of row) {
      this.data[this.count] = Math.max(-127, Math.min(127, value));
      this.count += 1;
    }
  }

  /** Returns the values; the list is empty afterwards. */
  take(): Int8Array {
    const values = new Int8Array(this.data.buffer.transfer(this.count));
    this.data = new Int8Array(4096);
    this.count = 0;
    return values;
  }
}

const moved = (values: Float32Array<ArrayBuffer>, length: number): Float32Array<ArrayBuffer> =>
  new Float32Array(values.buffer.transfer(length * Float32Array.BYTES_PER_ELEMENT));

/** A list of floats that grows. Ten hours of hops are 7 MB. */
export class FloatList {
  private data = new Float32Array(4096);
  private count = 0;

  push(value: number): void {
    if (this.count === this.data.length) {
      const wider = new Float32Array(this.data.length * 2);
      wider.set(this.data);
      this.data = wider;
    }
    this.data[this.count] = value;
    this.count += 1;
  }

  values(): Float32Array {
    return this.data.slice(0, this.count);
  }
}

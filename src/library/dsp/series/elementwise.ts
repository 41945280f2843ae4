// Sums and the like over lists of samples and powers. Functions of their own: V8 drops the optimized code of a callback
// with each collection of garbage, and one that is made for each stretch of sound is then compiled again and again.

export function sumOf(values: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i] as number;
  return sum;
}

/** Sample by sample. */
export function meanOfTwo(one: Float32Array, other: Float32Array): Float32Array<ArrayBuffer> {
  const out = new Float32Array(one.length);
  for (let i = 0; i < out.length; i += 1) out[i] = ((one[i] as number) + (other[i] as number)) / 2;
  return out;
}

export function negated(values: Float32Array): Float32Array<ArrayBuffer> {
  const out = new Float32Array(values.length);
  for (let i = 0; i < out.length; i += 1) out[i] = -(values[i] as number);
  return out;
}

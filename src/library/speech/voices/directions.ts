// Directions of voices: their likeness and their mean.
import { printLength } from '../../contract/voice-print.ts';

export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (const [at, value] of a.entries()) sum += value * (b[at] as number);
  return sum;
}

/** The mean by weights, of length 1; null: nothing to be told. */
export function meanDirection(values: Float32Array, weights: readonly number[]): Float32Array | null {
  const sum = new Float32Array(printLength);
  for (const [piece, weight] of weights.entries())
    for (let at = 0; at < printLength; at += 1)
      sum[at] = (sum[at] as number) + weight * (values[piece * printLength + at] as number);
  const length = Math.hypot(...sum);
  return length > 0 ? sum.map((value) => value / length) : null;
}

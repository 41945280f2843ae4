// What a transformer computes, in double precision and as plainly as its paper has it.
import { expect } from 'vitest';
import type { Q8Matrix } from '../../../src/library/kernels/whisper-decoder.ts';

export type Row = number[];

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += a[index]! * b[index]!;
  return sum;
};
export const rowOf = ({ table, scales }: Q8Matrix, row: number, columns: number): Row =>
  Array.from(
    { length: columns },
    (_, column) => (table[row * columns + column]! - 128) * scales[Math.floor((row * columns + column) / 32)]!,
  );
export const times = (matrix: Q8Matrix, x: Row, bias: ArrayLike<number> | null): Row =>
  Array.from(
    { length: matrix.table.length / x.length },
    (_, row) => dot(rowOf(matrix, row, x.length), x) + (bias?.[row] ?? 0),
  );
export const plus = (a: Row, b: ArrayLike<number>): Row => a.map((x, index) => x + b[index]!);
export const norm = (x: Row, weight: ArrayLike<number>, bias: ArrayLike<number>): Row => {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const variance = x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length;
  return x.map((v, index) => ((v - mean) / Math.sqrt(variance + 1e-5)) * weight[index]! + bias[index]!);
};
/** erf by its series (Abramowitz and Stegun 7.1.6), enough terms for what comes here. */
const erf = (x: number): number => {
  if (Math.abs(x) > 5) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let n = 1; n < 120; n += 1) sum += term *= (2 * x * x) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
};
export const gelu = (x: number): number => (x * (1 + erf(x / Math.SQRT2))) / 2;

/** Attention of one query, head by head, and what each head looks at. */
export function attend(
  query: Row,
  keys: readonly Row[],
  values: readonly Row[],
  { heads, headWidth }: { readonly heads: number; readonly headWidth: number },
): { out: Row; weights: Row[] } {
  const out: Row = [];
  const weights: Row[] = [];
  for (let head = 0; head < heads; head += 1) {
    const part = (x: Row): Row => x.slice(head * headWidth, (head + 1) * headWidth);
    const scores = keys.map((key) => dot(part(query), part(key)) / Math.sqrt(headWidth));
    const most = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - most));
    const sum = powers.reduce((a, b) => a + b, 0);
    const own = powers.map((power) => power / sum);
    weights.push(own);
    for (let d = 0; d < headWidth; d += 1)
      out.push(
        dot(
          own,
          values.map((value) => part(value)[d]!),
        ),
      );
  }
  return { out, weights };
}

/** Root mean square of the difference over that of the expected. */
export function relativeError(actual: readonly number[], expected: readonly number[]): number {
  expect(actual.length).toBe(expected.length);
  const squares = (x: readonly number[]): number => x.reduce((sum, one) => sum + one * one, 0);
  return Math.sqrt(squares(actual.map((x, index) => x - expected[index]!)) / squares(expected));
}

import { nativeKernels } from './load.ts';

/** Samples before and after the one at or before a place that `resample` needs there. */
export const resampleReach = { before: 15, after: 16 } as const;

/**
 * out[i] = the band-limited curve of `samples` at start + step i: a sinc of 32 taps under Kaiser's window (beta 9), 512
 * phases with straight lines between. For steps near 1: nothing keeps what a longer step folds back. NaN, infinite and
 * absurd samples count as 0.
 * @param start at least `resampleReach.before`
 * @param step samples, 0 to 16
 * @param count how many of `out` are written
 * @throws TypeError on numbers out of range, and where `samples` do not reach `resampleReach.after` beyond the last
 */
export function resample(
  samples: Float32Array,
  { start, step, out, count }: { start: number; step: number; out: Float32Array; count: number },
): void {
  nativeKernels().resample(samples, start, step, out, count);
}

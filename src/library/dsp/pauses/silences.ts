import type { TimeRange } from '../../core/time-range.ts';
import { powerToDb } from '../../core/levels.ts';
import { levelHistogram } from '../series/level-histogram.ts';
import { smoothInPlace } from '../series/sliding.ts';

/** Length of the window for the noise floor: half a second, as in the usual ACX checkers. */
const floorWindowSeconds = 0.5;

/** Mean square of the quietest half second; of everything if shorter. 0 without sound. */
export function quietestMeanSquare(meanSquare: Float32Array, hopSeconds: number): number {
  const window = Math.max(1, Math.min(meanSquare.length, Math.round(floorWindowSeconds / hopSeconds)));
  // A sum per window would be slow and one running sum would drift, so it is recomputed every 4096 hops.
  let quietest = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let end = 0; end < meanSquare.length; end += 1) {
    sum += meanSquare[end] ?? 0;
    if (end >= window) sum -= meanSquare[end - window] ?? 0;
    if (end % 4096 === 0) {
      sum = 0;
      for (let at = Math.max(0, end - window + 1); at <= end; at += 1) sum += meanSquare[at] ?? 0;
    }
    if (end >= window - 1) quietest = Math.min(quietest, sum / window);
  }
  return Number.isFinite(quietest) ? Math.max(0, quietest) : 0;
}

/** Where a sound is silent. */
export interface Silences {
  /** Threshold of silence, dB relative to full scale RMS over 50 ms. */
  readonly thresholdDbfs: number;
  /** Of seconds from the start, in order. */
  readonly stretches: readonly TimeRange[];
}

/** Level below which a hop is silent, derived from the recording. */
function adaptiveThresholdDbfs(meanSquares: Float32Array): number {
  const levels = levelHistogram(meanSquares, (power) => (power > 1e-12 ? powerToDb(power) : Number.NaN));
  if (levels.count === 0) return -60;
  // 6 dB above the floor excludes noise; at least 20 dB below loud parts, so that a steady sound is not silence.
  return Math.max(-70, Math.min(levels.percentile(0.05) + 6, levels.percentile(0.9) - 20));
}

/**
 * Silent stretches: level, smoothed over 50 ms, below a threshold for at least `minSeconds`. The threshold is 6 dB
 * above the 5th percentile of the levels, at most 20 dB below the 90th, at least -70 dBFS.
 * @param meanSquare level envelope, see the envelope kernel; smoothed in place, since ten hours of it are 14 MB
 */
export function findSilences(
  meanSquare: Float32Array,
  hopSeconds: number,
  durationSeconds: number,
  minSeconds = 0.5,
): Silences {
  const smooth = smoothInPlace(meanSquare, Math.round(0.02 / hopSeconds));
  const thresholdDbfs = adaptiveThresholdDbfs(smooth);
  const threshold = 10 ** (thresholdDbfs / 10);
  const stretches: TimeRange[] = [];
  let start = -1;
  for (let index = 0; index <= smooth.length; index += 1) {
    const silent = index < smooth.length && (smooth[index] ?? 0) < threshold;
    if (silent && start < 0) start = index;
    if (silent || start < 0) continue;
    const startSeconds = start * hopSeconds;
    const endSeconds = Math.min(index * hopSeconds, durationSeconds);
    if (endSeconds - startSeconds >= minSeconds) stretches.push({ startSeconds, endSeconds });
    start = -1;
  }
  return { thresholdDbfs, stretches };
}

// Stretches of a voice that a suppressor took away.
import { slidingMean, visitRuns } from '../../src/library/dsp/series/sliding.ts';
import { rate } from './mixtures.ts';

const hop = rate / 100;
const [lostDb, leastHops] = [12, 20];

export interface Dip {
  readonly from: number;
  readonly seconds: number;
  readonly db: number;
}

/** @param dbfs RMS */
export function atLevel(plane: Float32Array, dbfs: number): Float32Array {
  const rms = Math.sqrt(plane.reduce((sum, x) => sum + x * x, 0) / plane.length);
  return plane.map((x) => (x * 10 ** (dbfs / 20)) / rms);
}

/** Power of each hop. */
export const hopPowers = (plane: Float32Array): Float32Array =>
  Float32Array.from({ length: Math.floor(plane.length / hop) }, (_, t) =>
    plane.subarray(t * hop, (t + 1) * hop).reduce((sum, x) => sum + x * x, 0),
  );

/** Level that one hop in twenty exceeds. */
export const loudPower = (powers: Float32Array): number => powers.toSorted()[Math.floor(0.95 * powers.length)] ?? 0;

/**
 * Stretches of 0.2 s and more that lost over 12 dB, measured over 90 ms.
 * @param loudDb of a voice's parts that are within so much of its loud ones
 */
export function dipsOf(voice: Float32Array, left: Float32Array, loudDb: number): Dip[] {
  const [before, after] = [slidingMean(hopPowers(voice), 4), slidingMean(hopPowers(left), 4)];
  const loud = loudPower(before);
  const lost = Uint8Array.from(before, (x, t) =>
    x > loud * 10 ** (-loudDb / 10) && (after[t] as number) < x * 10 ** (-lostDb / 10) ? 1 : 0,
  );
  const found: Dip[] = [];
  visitRuns(lost, (start, end) => {
    if (end - start < leastHops) return;
    const sum = (powers: Float32Array): number => powers.subarray(start, end).reduce((total, x) => total + x, 0);
    const db = 10 * Math.log10((sum(after) + 1e-12) / sum(before));
    found.push({ from: start / 100, seconds: (end - start) / 100, db });
  });
  return found;
}

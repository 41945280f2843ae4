import type { TimeRange } from '../../core/time-range.ts';
import { lowPass } from './decimate.ts';

/** Rate at which lows are looked at, Hz. */
export const slowHz = 1000;
/** A voice has nothing below this, Hz. */
const lowHz = 50;
const lowReach = 30;
/** Its peak reaches the voice's level without lows, and rises so far from the lows of a second around it, dB. */
const leastDb = 0;
const leastExcessDb = 15;
const aroundShare = 0.9;
const aroundReach = 500;
const nearBefore = 80;
const nearAfter = 120;
/** It is the highest of so many values on either side, */
const alone = 60;
/** lasts so long above a share of its peak, in values, which pauses of so many do not end, */
const longest = 120;
const endShare = 0.1;
const mostPause = 12;
/** and swings back so often: rumble and the notes of a bass swing on. */
const mostTurns = 5;
const turnShare = 0.2;
/** What its begin and end may have above the lows, in values. */
const margin = 12;
/** Softer ones are not looked at: full scale is 1. */
const softest = 1e-3;

/** Values that are looked at together, besides what is around them. */
const stretch = 4000;
const reach = aroundReach + longest;

interface Candidate extends TimeRange {
  readonly peak: number;
}

export interface PlosiveFinder {
  push(plane: Float32Array, frames: number): void;
  flush(): void;
  /** @param loudDb level of the voice */
  result(loudDb: number): TimeRange[];
}

/** Size of the value at `at`, or of the greatest of the next ones in a direction. */
function sizeFrom(lows: Float32Array, at: number, direction: 1 | -1): number {
  let size = 0;
  for (let n = 0; n < mostPause; n += 1) size = Math.max(size, Math.abs(lows[at + direction * n] as number));
  return size;
}

/** @param first number of the first value */
function candidateAt(lows: Float32Array, at: number, first: number): Candidate | null {
  const peak = Math.abs(lows[at] as number);
  if (peak < softest) return null;
  for (let n = at - alone; n <= at + alone; n += 1) if (Math.abs(lows[n] as number) > peak) return null;
  let [from, to] = [at, at];
  while (at - from <= longest && sizeFrom(lows, from, -1) > endShare * peak) from -= 1;
  while (to - at <= longest && sizeFrom(lows, to, 1) > endShare * peak) to += 1;
  if (to - from > longest) return null;
  let turns = 0;
  for (let n = from; n < to; n += 1)
    if ((lows[n] as number) > 0 !== (lows[n + 1] as number) > 0 && sizeFrom(lows, n, 1) > turnShare * peak) turns += 1;
  if (turns > mostTurns) return null;
  const around = [
    ...lows.subarray(at - aroundReach, at - nearBefore),
    ...lows.subarray(at + nearAfter, at + aroundReach),
  ];
  const sizes = Float32Array.from(around, Math.abs).sort();
  if (peak < 10 ** (leastExcessDb / 20) * (sizes[Math.floor(aroundShare * sizes.length)] as number)) return null;
  return {
    startSeconds: Math.max(0, first + from - margin) / slowHz,
    endSeconds: (first + to + margin) / slowHz,
    peak,
  };
}

/**
 * Finds plosives in one channel: single bursts of up to 0.12 s below the voice, at least as loud as it. Music's drums
 * and basses swing on, and rumble does not rise from itself.
 */
export function findPlosives(sampleRate: number): PlosiveFinder {
  const factor = Math.max(1, sampleRate / slowHz);
  const step = 1 / factor;
  const almostOne = 1 - step / 1000;
  const taps = lowPass(lowHz / slowHz, lowReach);
  const found: Candidate[] = [];
  const slow = new Float32Array(2 * lowReach + 1);
  const lows = new Float32Array(stretch + 2 * reach);
  // The filter's reach is taken off the times.
  let [count, first] = [reach, -reach - lowReach];
  let [frame, slowCount, here, next] = [0, 0, 0, 0];
  /** Where the recording ends: what it cuts off may have swung on. */
  let ends = Number.POSITIVE_INFINITY;

  const look = (): void => {
    for (let at = reach; at < count - reach; at += 1) {
      const candidate = candidateAt(lows, at, first);
      if (candidate && candidate.endSeconds < ends) found.push(candidate);
    }
    const seen = Math.max(0, count - 2 * reach);
    lows.copyWithin(0, seen, count);
    first += seen;
    count -= seen;
  };
  const take = (value: number): void => {
    slow.copyWithin(0, 1);
    slow[2 * lowReach] = value;
    let sum = 0;
    for (let n = 0; n < taps.length; n += 1) sum += (taps[n] as number) * (slow[n] as number);
    lows[count] = sum;
    count += 1;
    if (count === lows.length) look();
  };
  return {
    push(plane, frames) {
      let sum = here;
      let coming = next;
      let share = (frame - slowCount * factor) / factor;
      for (let i = 0; i < frames; i += 1) {
        const sample = plane[i] as number;
        const x = sample < 1e6 && sample > -1e6 ? sample : 0;
        // Triangles two values long: a sample belongs to two of them.
        coming += share * x;
        sum += x - share * x;
        share += step;
        if (share >= almostOne) {
          take(sum * step);
          sum = coming;
          coming = 0;
          slowCount += 1;
          share = (frame + i + 1 - slowCount * factor) / factor;
        }
      }
      frame += frames;
      here = sum;
      next = coming;
    },
    flush() {
      ends = frame / sampleRate;
      for (let i = 0; i < reach + lowReach; i += 1) take(0);
      look();
    },
    result(loudDb) {
      const least = 10 ** ((loudDb + leastDb) / 20);
      const plosives: TimeRange[] = [];
      for (const { startSeconds, endSeconds, peak } of found) {
        const from = Math.max(startSeconds, plosives.at(-1)?.endSeconds ?? 0);
        if (peak >= least && from < endSeconds) plosives.push({ startSeconds: from, endSeconds });
      }
      return plosives;
    },
  };
}

import { powerToDb } from '../../core/levels.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { binOf, hopSeconds, readSpectra } from './spectral-stage.ts';

/** Reverberation of a recording. */
export interface RoomReading {
  /** Seconds in which sound falls by 60 dB. */
  readonly t60Seconds: number;
  /**
   * Drop of the level within `lateSeconds` after a fast stop of the voice, dB: direct sound relative to late
   * reverberation.
   */
  readonly earlyDropDb: number;
  /** Number of evaluated moments; with few of them the result is unreliable. */
  readonly offsets: number;
}

/** Later reflections are heard as reverberation rather than as part of the voice. */
export const lateSeconds = 0.048;
const lateHops = Math.round(lateSeconds / hopSeconds);

/** Edges of the bands for decay measurement, Hz. */
const edgesHz = [300, 450, 650, 900, 1250, 1700, 2300, 3100, 4200];
const bands = edgesHz.length - 1;
/** Least length of a decay in hops (96 ms), and its least fall, dB. */
const leastHops = 18;
const leastFallDb = 10;
/** Decays are cut off this far above the noise, dB. */
const overNoiseDb = 8;
/** Hops for averaging levels. */
const smoothHops = 3;

const leastDecays = 8;
/** Assumed where there are too few decays. */
const usualT60Seconds = 0.7;
const leastOffsets = 200;
/** Quantile of the decays that are the room's own, since the voice prolongs the others; and of the drops. */
const t60Share = 0.3;
const dropShare = 0.95;

/** From this drop on voices are dry enough; full strength is reached at the second value, dB. */
const dryDropDb = 18;
const wetDropDb = 14;

/** The share of reverberation to remove, 0 to 1: nothing for a close voice or without enough data. */
export const dereverberation = ({ earlyDropDb, offsets }: RoomReading): number =>
  offsets < leastOffsets ? 0 : Math.min(1, Math.max(0, (dryDropDb - earlyDropDb) / (dryDropDb - wetDropDb)));

/** Counts of values between 0 and `most`: constant memory. */
function createHistogram(most: number): {
  add(value: number): void;
  readonly total: number;
  percentile(share: number): number;
} {
  const counts = new Uint32Array(400);
  let total = 0;
  return {
    add(value) {
      counts[Math.min(counts.length - 1, Math.max(0, Math.floor((value / most) * counts.length)))]! += 1;
      total += 1;
    },
    get total() {
      return total;
    },
    percentile(share) {
      let seen = 0;
      for (const [index, count] of counts.entries()) {
        seen += count;
        if (seen > share * total) return ((index + 0.5) * most) / counts.length;
      }
      return 0;
    },
  };
}

/** Slope of a regression line through levels, dB per hop, and the standard deviation from it, dB. */
function lineThrough(levels: readonly number[]): { slope: number; deviation: number } {
  const n = levels.length;
  const meanX = (n - 1) / 2;
  const meanY = levels.reduce((sum, y) => sum + y, 0) / n;
  let [sxy, sxx] = [0, 0];
  for (const [x, y] of levels.entries()) {
    sxy += (x - meanX) * (y - meanY);
    sxx += (x - meanX) ** 2;
  }
  const slope = sxy / sxx;
  const residual = levels.reduce((sum, y, x) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  return { slope, deviation: Math.sqrt(residual / n) };
}

/** Finds decays in one band as its levels arrive. */
function followDecays(found: (t60Seconds: number) => void, dropped: (db: number) => void): (power: number) => void {
  let recent: number[] = [];
  let run: number[] = [];
  const history: number[] = [];
  let floor = Number.POSITIVE_INFINITY;
  let speech = Number.NEGATIVE_INFINITY;
  const finish = (): void => {
    // The voice itself ends in the first two hops.
    let levels = run.slice(2);
    const end = levels.findIndex((level) => level < floor + overNoiseDb);
    if (end >= 0) levels = levels.slice(0, end);
    run = [];
    if (levels.length < leastHops || (levels[0] as number) - (levels.at(-1) as number) < leastFallDb) return;
    const { slope, deviation } = lineThrough(levels);
    if (slope < 0 && deviation < 2) found((-60 / slope) * hopSeconds);
  };
  return (power) => {
    recent.push(power);
    if (recent.length > smoothHops) recent = recent.slice(1);
    const level = powerToDb(recent.reduce((sum, one) => sum + one, 0) / recent.length + 1e-14);
    // Follows the least level, rising at 2 dB a second; the greatest falls at 3 dB a second.
    floor = Math.min(level, floor + 2 * hopSeconds);
    speech = Math.max(level, speech - 3 * hopSeconds);
    const previous = run.at(-1);
    if (previous !== undefined && level > previous + 0.3) finish();
    run.push(level);
    history.push(level);
    if (history.length > lateHops) {
      const before = history.shift() as number;
      if (before > speech - 15 && before > floor + 25) dropped(before - level);
    }
  };
}

/**
 * Blindly estimates the reverberation of a recording at 48 kHz; passes it through. In eight bands from 300 to 4200 Hz
 * it finds stretches that fall without a break and linearly in decibels, and takes their slopes as decay times: speech
 * never decays faster than the room, so the fastest decays are the room's (Wen, Habets, Naylor, "Blind estimation of
 * reverberation time based on the distribution of signal decay rates", ICASSP 2008). The fall within 48 ms at the
 * fastest twentieth of all offsets limits the late reverberation relative to the voice. Use before noise suppression,
 * which cuts decays off.
 */
export function meterRoom(): Analyser<RoomReading> {
  const times = createHistogram(3);
  const drops = createHistogram(60);
  const edges = edgesHz.map(binOf);
  return {
    ...readSpectra(() => {
      const followers = Array.from({ length: bands }, () => followDecays(times.add, drops.add));
      return (spectra) => {
        for (const [band, follow] of followers.entries()) {
          let power = 0;
          for (const { re, im } of spectra)
            for (let bin = edges[band] as number; bin < (edges[band + 1] as number); bin += 1)
              power += (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
          follow(power);
        }
      };
    }),
    result() {
      const heard = times.percentile(t60Share);
      // In long reverberation speech has few isolated decays: measured on synthetic rooms of 0.3 to 0.9 s, the result
      // is too short by this.
      const t60Seconds =
        times.total < leastDecays ? usualT60Seconds : Math.min(2, heard + 0.8 * Math.max(0, heard - 0.3));
      return { t60Seconds, earlyDropDb: drops.percentile(dropShare), offsets: drops.total };
    },
  };
}

import { slidingMin, tidy, visitRuns } from '../../series/sliding.ts';
import type { Hearing } from './ear.ts';
import { hopsPerSecond } from './power-ear.ts';

/** A sound that stands out of the background. Hops, absolute. */
export interface SoundEvent {
  readonly start: number;
  readonly end: number;
  /** As the suppressor got it, and as it left it: sums of power. */
  readonly heard: number;
  readonly left: number;
}

/** The background is what a fifth of the hops stay under, second by second, within so much to either side. */
const floorReach = 4 * hopsPerSecond;
const floorShare = 0.2;
/** Sounds stand this far above it. Even eight talkers at once leave no such gaps, and steady noise has none. */
const standsOut = 10 ** (15 / 10);
/**
 * Nothing weaker than this is a voice that was meant to be heard: 40 dB under the level that recordings are brought to.
 */
const faintest = 10 ** (-60 / 10);
/** A hop belongs to a sound as long as it is not this much weaker than what is within 100 ms. */
const withinSound = 10 ** (-15 / 10);
const nearHops = 10;
/** A glottis that creaks pauses for up to 40 ms; a click lasts for 30 ms at most, transform included. */
const gapHops = 4;
const leastHops = 6;

/** @param first hop of `power` */
function backgroundOf(power: Float32Array, first: number): Float32Array {
  const out = new Float32Array(power.length);
  for (let at = 0; at < power.length;) {
    const second = Math.floor((first + at) / hopsPerSecond) * hopsPerSecond - first;
    const end = Math.min(power.length, second + hopsPerSecond);
    const around = power.slice(Math.max(0, second - floorReach), second + hopsPerSecond + floorReach).toSorted();
    out.fill(around[Math.floor(floorShare * around.length)] ?? 0, at, end);
    at = end;
  }
  return out;
}

/** Finds sounds between two hops; looks 4 s further to both sides. @param end hops of the recording, or more */
export function findEvents(hearing: Hearing, from: number, to: number, end: number): SoundEvent[] {
  const first = Math.max(0, from - floorReach);
  const power = hearing.heard(first, Math.max(first, Math.min(end, to + floorReach)));
  const floor = backgroundOf(power, first);
  const near = slidingMin(
    power.map((x) => -x),
    nearHops,
  );
  const stands = Uint8Array.from(power, (x, hop) =>
    x > faintest && x > standsOut * (floor[hop] as number) && x > -withinSound * (near[hop] as number) ? 1 : 0,
  );
  tidy(stands, gapHops, leastHops);
  const kept = hearing.left(first, first + power.length);
  const events: SoundEvent[] = [];
  visitRuns(stands, (start, stop) => {
    if (first + stop <= from || first + start >= to) return;
    let [before, after] = [0, 0];
    for (let hop = start; hop < stop; hop += 1) {
      before += power[hop] as number;
      after += kept[hop] as number;
    }
    events.push({ start: first + start, end: first + stop, heard: before, left: after });
  });
  return events;
}

/** A sound of which less than this is left was taken for noise. */
const lostShare = 10 ** (-3 / 10);
/**
 * Breaths and smacks between words are no loss: only where lost sounds make up this share of what sounds around them.
 */
const leastLostShare = 0.2;
const aroundHops = 0.5 * hopsPerSecond;

/** Those sounds that the suppressor took away, where they are much of what is heard. */
export function lostEvents(events: readonly SoundEvent[]): SoundEvent[] {
  const isLost = ({ heard, left }: SoundEvent): boolean => left < lostShare * heard;
  return events.filter((event) => {
    if (!isLost(event)) return false;
    let [all, lost] = [0, 0];
    for (const other of events) {
      if (other.end < event.start - aroundHops || other.start > event.end + aroundHops) continue;
      all += other.heard;
      if (isLost(other)) lost += other.heard;
    }
    return lost >= leastLostShare * all;
  });
}

/** The stand-in keeps at least this of a voice that the suppressor lost; of noise it keeps less. */
const standInShare = 10 ** (-4 / 10);
/** And this much more than the suppressor, or there is no point. */
const clearlyMore = 10 ** (1 / 10);
/**
 * A sound that has harmonics for so long, and was lost by both, is a voice far away or something else worth hearing.
 */
const voicedShare = 0.5;
const leastVoicedHops = 10;
/** A hop ripples as a voice does (see tone-steadiness.ts). */
const voicedRippleDb = 4.2;

/**
 * What sounds for so long, is no even noise (which ripples by 2.5 dB) and no tone that stands still may be laughter,
 * several voices at once or one across a room: lost by both, it is turned down and no more.
 */
const leastDoubtfulHops = 40;
const doubtfulRippleDb = 2.9;
const mostSteady = 0.1;

/**
 * Tones are known to stand still from here on; where more than this of the power does in the rest of a sound, it is a
 * beeper, a bell or a motor. A sung note sways.
 */
const standingHops = 30;
const mostStanding = 0.45;

export type Verdict = 'suppressed' | 'stand-in' | 'original' | 'doubtful';

/**
 * @param standIn share of the event's power that the other suppressor left; null where there is none
 * @param series of its hops (see ear.ts), asked for where it counts
 */
export function judgeEvent(
  { start, end, heard, left }: SoundEvent,
  standIn: number | null,
  series: (which: 'ripple' | 'steady') => Float32Array,
): Verdict {
  const suppressor = left / heard;
  const mean = (values: Float32Array): number => values.reduce((sum, x) => sum + x, 0) / values.length;
  if (end - start >= leastDoubtfulHops && mean(series('steady').subarray(standingHops)) > mostStanding)
    return 'suppressed';
  if (standIn !== null && standIn >= standInShare && standIn >= clearlyMore * suppressor) return 'stand-in';
  if (end - start < leastVoicedHops || Math.max(suppressor, standIn ?? 0) >= standInShare) return 'suppressed';
  const ripple = series('ripple');
  const voiced = ripple.reduce((count, db) => count + (db > voicedRippleDb ? 1 : 0), 0);
  if (voiced >= voicedShare * (end - start)) return 'original';
  if (end - start < leastDoubtfulHops || mean(ripple) < doubtfulRippleDb) return 'suppressed';
  return mean(series('steady')) <= mostSteady ? 'doubtful' : 'suppressed';
}

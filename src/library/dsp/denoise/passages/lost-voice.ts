import { negated, sumOf } from '../../series/elementwise.ts';
import { type HopRun, runsOf, slidingMean, slidingMin, tidy, visitRuns } from '../../series/sliding.ts';
import type { Hearing } from './ear.ts';
import { hopsPerSecond } from './power-ear.ts';
import { voicedRippleDb } from '../../voicing/speech-activity.ts';

/** A sound above the background. Hops, absolute. */
export interface SoundEvent {
  readonly start: number;
  readonly end: number;
  /** Sums of power before and after the suppressor. */
  readonly heard: number;
  readonly left: number;
  /**
   * All of a sound; a part of a longer one, most of which the suppressor kept; what may be the creaking part of one; a
   * stretch in which voices overlap.
   */
  readonly kind: 'whole' | 'part' | 'creak' | 'overlap';
}

/**
 * The background is the level of the quietest fifth of the hops, second by second, within this reach to either side.
 */
const floorReach = 4 * hopsPerSecond;
const floorShare = 0.2;
/** Sounds are this far above it. Even eight simultaneous talkers leave no such gaps, and steady noise has none. */
const standsOut = 10 ** (15 / 10);
/** Weaker sounds are not voices meant to be heard: 40 dB below the level that recordings are brought to. */
const faintest = 10 ** (-60 / 10);
/** A hop belongs to a sound unless it is this much weaker than the sound within 100 ms. */
const withinSound = 10 ** (-15 / 10);
const nearHops = 10;
/** A creaking glottis pauses for up to 40 ms; a click lasts at most 30 ms, including the transform. */
const gapHops = 4;
const leastHops = 6;

/** A sound with less than this left was taken for noise. */
const lostShare = 10 ** (-3 / 10);

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

/** Finds sounds between two hops; needs 4 s more on both sides. @param end hops of the recording, or more */
export function findEvents(hearing: Hearing, from: number, to: number, end: number): SoundEvent[] {
  const first = Math.max(0, from - floorReach);
  const power = hearing.heard(first, Math.max(first, Math.min(end, to + floorReach)));
  const floor = backgroundOf(power, first);
  const near = slidingMin(negated(power), nearHops);
  const aboveBackground = Uint8Array.from(power, (x, hop) =>
    x > faintest && x > standsOut * (floor[hop] as number) && x > -withinSound * (near[hop] as number) ? 1 : 0,
  );
  tidy(aboveBackground, gapHops, leastHops);
  const kept = hearing.left(first, first + power.length);
  const eventAt = (start: number, stop: number, kind: SoundEvent['kind']): SoundEvent => {
    const [heard, left] = [sumOf(power.subarray(start, stop)), sumOf(kept.subarray(start, stop))];
    return { start: first + start, end: first + stop, heard, left, kind };
  };
  const events: SoundEvent[] = [];
  const parts: SoundEvent[] = [];
  const creaks: SoundEvent[] = [];
  visitRuns(aboveBackground, (start, stop) => {
    if (first + stop <= from || first + start >= to) return;
    const whole = eventAt(start, stop, 'whole');
    events.push(whole);
    const sound = [power.subarray(start, stop), kept.subarray(start, stop)] as const;
    if (whole.left >= mostlyKept * whole.heard)
      for (const part of lostParts(...sound, loudPart, leastPartHops))
        parts.push(eventAt(start + part.start, start + part.end, 'part'));
    if (whole.left >= lostShare * whole.heard)
      for (const part of lostParts(...sound, loudCreak, leastCreakHops))
        creaks.push(eventAt(start + part.start, start + part.end, 'creak'));
  });
  const overlaps = lostOverlaps(power, kept, floor)
    .map(({ start, end: stop }) => eventAt(start, stop, 'overlap'))
    .filter(({ start, end: stop }) => stop > from && start < to)
    .filter(({ start, end: stop }) => !parts.some((part) => part.start < stop && part.end > start));
  return [...events, ...parts, ...creaks, ...overlaps];
}

/** Parts are looked for in sounds that keep this much: where more is gone, loud noise was part of the sound. */
const mostlyKept = 10 ** (-1.5 / 10);
/** Of a part, hops are lost with less than this left; so much of a single voice over others is missing, too. */
const lostPartShare = 10 ** (-4 / 10);
/** The hops are a syllable, ... */
const leastPartHops = 8;
/** ... and no breath or click beside one: within so much of the sound's loudest tenth. */
const loudPart = 10 ** (-10 / 10);
/** Creaks are asked for the beats of a glottis (`isCreak`), so weaker ones count; but they last. */
const leastCreakHops = 12;
const loudCreak = 10 ** (-20 / 10);
const smoothHops = 2;

/** Stretches of one sound that the suppressor took away while it kept the rest: a creak at the end of a sentence. */
function lostParts(power: Float32Array, kept: Float32Array, loud: number, least: number): HopRun[] {
  const loudest = power.toSorted()[Math.floor(0.9 * power.length)] ?? 0;
  const [before, after] = [slidingMean(power, smoothHops), slidingMean(kept, smoothHops)];
  const lost = Uint8Array.from(before, (x, hop) =>
    x > loud * loudest && (after[hop] as number) < lostPartShare * x ? 1 : 0,
  );
  tidy(lost, gapHops, least);
  return runsOf(lost);
}

/** Two voices fill each other's pauses: what is lost of them is this far above the background, not more, ... */
const overlapStandsOut = 10 ** (5 / 10);
/** ... within so much of the loudest hop in 4 s to either side, ... */
const overlapLoud = 10 ** (-20 / 10);
const overlapLoudHops = 4 * hopsPerSecond;
/** ... with less than this left. */
const lostOverlapShare = 10 ** (-8 / 10);
/** Shorter stretches are edges of sounds. */
const leastOverlapHops = 6;

/** Stretches with little left of a sound that hardly rises from what is around it: one of several voices. */
function lostOverlaps(power: Float32Array, kept: Float32Array, floor: Float32Array): HopRun[] {
  const [before, after] = [slidingMean(power, smoothHops), slidingMean(kept, smoothHops)];
  const loudest = slidingMin(negated(before), overlapLoudHops);
  const lost = Uint8Array.from(before, (x, hop) =>
    x > faintest &&
    x > overlapStandsOut * (floor[hop] as number) &&
    x > -overlapLoud * (loudest[hop] as number) &&
    (after[hop] as number) < lostOverlapShare * x
      ? 1
      : 0,
  );
  tidy(lost, gapHops, leastOverlapHops);
  return runsOf(lost);
}

/** Breaths and smacks between words do not count as lost: lost sounds must be this share of the sound around them. */
const leastLostShare = 0.2;
const aroundHops = 0.5 * hopsPerSecond;

/** The sounds that the suppressor removed, where they are a large part of the recording. */
export function lostEvents(events: readonly SoundEvent[]): SoundEvent[] {
  const isLost = ({ heard, left }: SoundEvent): boolean => left < lostShare * heard;
  return events.filter((event) => {
    if (event.kind !== 'whole') return true;
    if (!isLost(event)) return false;
    let [all, lost] = [0, 0];
    for (const other of events) {
      if (other.kind !== 'whole') continue;
      if (other.end < event.start - aroundHops || other.start > event.end + aroundHops) continue;
      all += other.heard;
      if (isLost(other)) lost += other.heard;
    }
    return lost >= leastLostShare * all;
  });
}

/** The stand-in keeps at least this of a voice that the suppressor lost; it keeps less of noise. */
const standInShare = 10 ** (-4 / 10);
/** It must also keep this much more than the suppressor. */
const clearlyMore = 10 ** (1 / 10);
/** Of voices that overlap, the stand-in may leave this little, ... */
const overlapStandInShare = 10 ** (-8 / 10);
/** ... where the suppressor left so much less. */
const overlapClearlyMore = 10 ** (8 / 10);
/** A sound with harmonics for this long that both lost is a distant voice or something else worth keeping. */
const voicedShare = 0.5;
const leastVoicedHops = 10;

/**
 * Sounds of this length that are neither even noise (ripple of 2.5 dB) nor constant tones may be laughter, several
 * voices at once or a voice across a room: if both lost them, they are only attenuated.
 */
const leastDoubtfulHops = 40;
/** A part has a voice around it: shorter ones are meant to be heard, too. */
const leastDoubtfulPartHops = 12;
const doubtfulRippleDb = 2.9;
const mostSteady = 0.1;

/**
 * From this length on tones count as constant; where they have more than this share of the power in the rest of a
 * sound, it is a beeper, a bell or a motor. A sung note varies.
 */
const standingHops = 30;
const mostStanding = 0.45;

/** Has a sound harmonics for long enough? @param ripple of its hops */
export const isVoiced = (ripple: Float32Array): boolean =>
  ripple.reduce((count, db) => count + (db > voicedRippleDb ? 1 : 0), 0) >= voicedShare * ripple.length;

/** Of a creak each beat is heard by itself. Its spectrum is smoother than that of noise (2.5 dB). */
const creakRippleDb = 1.6;

/** Are these the beats of a creaking voice? @param ripple of its hops */
export const isCreak = (ripple: Float32Array): boolean => sumOf(ripple) < creakRippleDb * ripple.length;

export type Verdict = 'suppressed' | 'stand-in' | 'original' | 'doubtful';

/**
 * Overlaps must be voiced and creaks be creaks, which is for the caller to ask.
 * @param standIn share of the event's power that the other suppressor left; null where there is none
 * @param series of its hops (see ear.ts), requested where needed
 */
export function judgeEvent(
  { start, end, heard, left, kind }: SoundEvent,
  standIn: number | null,
  series: (which: 'ripple' | 'steady') => Float32Array,
): Verdict {
  const suppressor = left / heard;
  const mean = (values: Float32Array): number => sumOf(values) / values.length;
  if (end - start >= leastDoubtfulHops && mean(series('steady').subarray(standingHops)) > mostStanding)
    return 'suppressed';
  const [leastShare, more] =
    kind === 'overlap' ? [overlapStandInShare, overlapClearlyMore] : [standInShare, clearlyMore];
  if (standIn !== null && standIn >= leastShare && standIn >= more * suppressor) return 'stand-in';
  if (kind === 'creak') return 'original';
  // The rest of the judgement needs pauses: it would keep noise that swells.
  if (kind === 'overlap') return 'suppressed';
  if (end - start < leastVoicedHops || Math.max(suppressor, standIn ?? 0) >= standInShare) return 'suppressed';
  const ripple = series('ripple');
  if (isVoiced(ripple)) return 'original';
  if (end - start < (kind === 'part' ? leastDoubtfulPartHops : leastDoubtfulHops) || mean(ripple) < doubtfulRippleDb)
    return 'suppressed';
  return mean(series('steady')) <= mostSteady ? 'doubtful' : 'suppressed';
}

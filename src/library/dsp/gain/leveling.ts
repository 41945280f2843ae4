import { type CurveShape, type GainCurve, smoothUnder } from './gain-curve.ts';
import { cutIntoLevels, type LevelSegment, speechLoudness } from './level-segments.ts';
import { integratedOfHops } from '../voicing/hop-loudness.ts';
import { visitRuns } from '../series/sliding.ts';
import type { Timbre } from '../voicing/timbre.ts';
import { leastVoicedShare, type SpeechActivity, voicedShare } from '../voicing/speech-activity.ts';

/** Most gain and most attenuation against the loudness of the recording's speech, dB: for a turn, and for a word. */
const turnRangeDb = 40;
const wordRangeDb = 18;
/** A turn has at least so much speech. */
const turnSeconds = 0.6;
/** So much speech is a voice though less of it sounds: chance has less to say about it. */
const longSeconds = 1.3;
const leastVoicedShareOfLong = 0.06;
/** What the slopes at its pauses take from a turn is given back up to this, dB. */
const mostGivenBackDb = 3;
/** Turns of one speaker share a gain where their own ones lie within so much, dB. */
const sameGainDb = 1;
/** Attack 80 dB/s and release 60 dB/s with corners rounded over 80 ms: 12 dB between two speakers take 0.2 s. */
export const levelingShape: CurveShape = { fallDbPerSecond: 80, riseDbPerSecond: 60, roundingSeconds: 0.08 };
/**
 * From so large a range of gains on the slopes are steeper, so that a soft turn is there from its first word on, dB.
 */
const gentleRangeDb = 13;
/** In a pause longer than this the gain goes back to that of the loudest speaker. */
const heldPauseSeconds = 0.4;
/** Within a turn it stays up to so long: a turn of few words would be over before the gain is back. */
const heldWithinTurnSeconds = 1.2;
/**
 * Between turns the gain rests so far under the lower of both, dB: the limiter takes up to this from the speech and
 * nothing from the noise, and noise must not come up against the voices.
 */
const restDb = 1.5;
/** What has no voice in it may have so much more gain than the loudest speaker, dB. */
const voicelessLiftDb = 1.5;
/** How far from a change of speakers without a pause its quiet moments are looked for. */
const changeReachSeconds = 0.3;
/** The gain of speech reaches this far before its beginning and behind its end where it is near that of the pause. */
const leadSeconds = 0.04;
/** Where it is further above it than this, dB, the slope lies in the first and last weak hops of the speech instead. */
const leadDb = 6;

export interface LevelingOptions {
  /**
   * A track of this speaker only: gains stay within 18 dB and no rest lies under the turns, because what the others say
   * is lowered by itself (dominance.ts). Default false.
   */
  readonly ownTrack?: boolean;
  /** Who speaks in each hop (speaker-hops.ts); null, the default, where that is not known. */
  readonly speakers?: Uint8Array | null;
  /** Tells voices apart, as far as it goes, beside `speakers`. Default null. */
  readonly timbre?: Timbre | null;
}

export interface Leveling {
  readonly curve: GainCurve;
  readonly segments: readonly LevelSegment[];
  /** Loudness of all speech before leveling, LUFS; null when there is none, and then the curve is flat. */
  readonly speechLufs: number | null;
  readonly lowestGainDb: number;
  readonly highestGainDb: number;
}

/** Gain of the loudest speech: the lowest tenth of the time that people speak has no more. */
function referenceGain(segments: readonly LevelSegment[], gains: readonly number[]): number {
  const order = gains
    .map((gain, index) => ({ gain, hops: segments[index]?.speechHops ?? 0 }))
    .toSorted((a, b) => a.gain - b.gain);
  let left = order.reduce((sum, { hops }) => sum + hops, 0) * 0.1;
  for (const { gain, hops } of order) {
    left -= hops;
    if (left <= 0) return gain;
  }
  return 0;
}

/**
 * One gain for all turns of a speaker whose own gains lie near each other: what differs is how somebody stresses words,
 * and the gain need not move. Turns that are further off (nearer to the microphone, a whisper) keep theirs.
 * Changes `gains`.
 */
function holdGainOfSpeakers(segments: readonly LevelSegment[], gains: number[], hopSeconds: number): void {
  const turns = new Map<number, number[]>();
  for (const [index, { speaker, speechHops }] of segments.entries()) {
    if (speaker === 0 || speechHops * hopSeconds < turnSeconds) continue;
    const own = turns.get(speaker) ?? [];
    turns.set(speaker, own);
    own.push(index);
  }
  for (const own of turns.values()) {
    const gainOf = (index: number): number => gains[index] as number;
    const hopsOf = (index: number): number => (segments[index] as LevelSegment).speechHops;
    let left = own.toSorted((a, b) => gainOf(a) - gainOf(b));
    while (left.length > 0) {
      // The most speech within the range shares a gain, then the most of the rest, and so on.
      let [most, from, to, hops, end] = [-1, 0, 0, 0, 0];
      for (const [start, first] of left.entries()) {
        while (end < left.length && gainOf(left[end] as number) - gainOf(first) <= sameGainDb) {
          hops += hopsOf(left[end] as number);
          end += 1;
        }
        if (hops > most) [most, from, to] = [hops, start, end];
        hops -= hopsOf(first);
      }
      const held = left.slice(from, to);
      left = left.toSpliced(from, to - from);
      // Their mean, so that the speaker as a whole is as loud as before.
      const mean = held.reduce((sum, index) => sum + gainOf(index) * hopsOf(index), 0) / most;
      for (const index of held) gains[index] = mean;
    }
  }
}

/**
 * Makes all speech equally loud with a gain that is constant while one level of speech holds, and moves only between
 * levels: nothing to pump. Known beforehand are the stretches of one level (level-segments.ts); each gets the gain that
 * brings it to the loudness of all speech, within +-40 dB (18 for what is shorter than 0.6 s). Between stretches the
 * gain rests 1.5 dB under the lower of both, and in pauses over 0.4 s (1.2 s within a stretch) under that of the loudest
 * speaker too, so that noise between turns never comes up against the voices, whatever the limiter takes from them.
 * Music has at most the gain of the loudest speaker, what has no voice in it 1.5 dB more. The curve lies under all this with bounded slopes
 * (gain-curve.ts), steeper where more than 13 dB lie between the gains; what they take from a turn is given back.
 * Where it is known who speaks, a speaker's turns of nearly one level share one gain.
 */
export function levelSpeech(
  energy: Float32Array,
  activity: Pick<SpeechActivity, 'speech' | 'voiced' | 'music' | 'hopSeconds'>,
  { ownTrack = false, speakers = null, timbre = null }: LevelingOptions = {},
): Leveling {
  const { speech, hopSeconds } = activity;
  const speechLufs = speechLoudness(energy, speech);
  const demand = new Float32Array(energy.length);
  if (speechLufs === null)
    return { curve: { hopSeconds, gainsDb: demand }, segments: [], speechLufs, lowestGainDb: 0, highestGainDb: 0 };
  const segments = cutIntoLevels(energy, speech, speakers, timbre);
  const gains = segments.map(({ lufs, speechHops }) => {
    const most = !ownTrack && speechHops * hopSeconds >= turnSeconds ? turnRangeDb : wordRangeDb;
    return Math.max(-most, Math.min(most, speechLufs - lufs));
  });
  holdGainOfSpeakers(segments, gains, hopSeconds);
  const reference = referenceGain(segments, gains);
  // Breaths, rustling and the hiss behind a word pass for speech by their level; without a voice in them they are not
  // raised; but a turn of somebody known is one: creaking and whispering voices have as little.
  for (const [index, { start, end, speaker, speechHops }] of segments.entries()) {
    const isTurn = speaker !== 0 && speechHops * hopSeconds >= turnSeconds;
    const least = speechHops * hopSeconds < longSeconds ? leastVoicedShare : leastVoicedShareOfLong;
    if (!isTurn && voicedShare(activity, start, end) < least)
      gains[index] = Math.min(gains[index] as number, reference + voicelessLiftDb);
  }

  let [lowestGainDb, highestGainDb] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const gain of gains) {
    lowestGainDb = Math.min(lowestGainDb, gain);
    highestGainDb = Math.max(highestGainDb, gain);
  }
  const steeper = Math.max(1, (highestGainDb - lowestGainDb) / gentleRangeDb);
  const shape: CurveShape = {
    ...levelingShape,
    fallDbPerSecond: levelingShape.fallDbPerSecond * steeper,
    riseDbPerSecond: levelingShape.riseDbPerSecond * steeper,
  };
  const below = ownTrack ? 0 : restDb;
  demandGains(demand, energy, activity, segments, gains, { reference, below });
  smoothUnder(demand, hopSeconds, shape, demand);
  for (const [index, { start, end, lufs }] of segments.entries()) {
    const after = integratedOfHops(energy.subarray(start, end), hopSeconds, demand.subarray(start, end));
    const lost = after === null ? 0 : lufs + (gains[index] as number) - after;
    gains[index] = (gains[index] as number) + Math.min(mostGivenBackDb, Math.max(0, lost));
  }
  demandGains(demand, energy, activity, segments, gains, { reference, below });
  const curve = smoothUnder(demand, hopSeconds, shape, demand);
  return { curve, segments, speechLufs, lowestGainDb, highestGainDb };
}

/**
 * Writes the gain that every hop wants into `demand`: of speech its segment's, of pauses and music what they may have.
 */
function demandGains(
  demand: Float32Array,
  energy: Float32Array,
  { speech, music, hopSeconds }: Pick<SpeechActivity, 'speech' | 'music' | 'hopSeconds'>,
  segments: readonly LevelSegment[],
  gains: readonly number[],
  { reference, below }: { readonly reference: number; readonly below: number },
): void {
  // The wanted gain of every hop of speech, NaN elsewhere.
  demand.fill(Number.NaN);
  for (const [index, { start, end }] of segments.entries()) {
    for (let hop = start; hop < end; hop += 1) if (speech[hop] === 1) demand[hop] = gains[index] as number;
  }
  // Speakers may follow each other within less than a pause: what is quiet around the change takes the lower gain.
  const around = Math.round(changeReachSeconds / hopSeconds);
  for (const [index, { start, end, energy: after }] of segments.entries()) {
    const previous = segments[index - 1];
    if (!previous || previous.end !== start) continue;
    const quiet = Math.min(previous.energy, after) * 0.1;
    const lower = Math.min(gains[index - 1] as number, gains[index] as number);
    for (let hop = Math.max(previous.start, start - around); hop < Math.min(end, start + around); hop += 1)
      if ((energy[hop] as number) < quiet) demand[hop] = lower;
  }
  const lead = Math.round(leadSeconds / hopSeconds);
  const heldPause = Math.round(heldPauseSeconds / hopSeconds);
  const heldWithinTurn = Math.round(heldWithinTurnSeconds / hopSeconds);
  const turnOf = turnsByHop(segments);
  const silent = new Uint8Array(demand.length);
  for (let hop = 0; hop < silent.length; hop += 1) silent[hop] = Number.isNaN(demand[hop]) ? 1 : 0;
  visitRuns(silent, (start, end) => {
    const before = start > 0 ? (demand[start - 1] as number) : Number.POSITIVE_INFINITY;
    const after = end < demand.length ? (demand[end] as number) : Number.POSITIVE_INFINITY;
    const lower = Math.min(before, after);
    const most = turnOf(start - 1) === turnOf(end) ? heldWithinTurn : heldPause;
    const long = end - start > most || !Number.isFinite(before) || !Number.isFinite(after);
    const resting = long ? Math.min(lower, reference) - below : before === after ? lower : lower - below;
    const held = (gain: number): number => (gain - resting > leadDb ? resting : gain);
    for (let hop = start; hop < end; hop += 1) {
      const near = hop - start < lead ? held(before) : end - 1 - hop < lead ? held(after) : resting;
      demand[hop] = Math.min(near, music[hop] === 1 ? reference : Number.POSITIVE_INFINITY);
    }
  });
}

/** Which segment a hop lies in, asked in ascending order; -1 for none. */
function turnsByHop(segments: readonly LevelSegment[]): (hop: number) => number {
  let index = 0;
  return (hop) => {
    while (index < segments.length && hop >= (segments[index] as LevelSegment).end) index += 1;
    return index < segments.length && hop >= (segments[index] as LevelSegment).start ? index : -1;
  };
}

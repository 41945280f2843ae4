import { type CurveShape, type GainCurve, smoothUnder } from './gain-curve.ts';
import { cutIntoLevels, type LevelSegment, speechLoudness } from './level-segments.ts';
import { integratedOfHops } from '../voicing/hop-loudness.ts';
import { visitRuns } from '../series/sliding.ts';
import type { Timbre } from '../voicing/timbre.ts';
import { leastVoicedShare, type SpeechActivity, voicedShare } from '../voicing/speech-activity.ts';

/** Greatest gain and attenuation relative to the loudness of the recording's speech, dB: for a turn, and for a word. */
const turnRangeDb = 40;
const wordRangeDb = 18;
/** Least speech in a turn. */
const turnSeconds = 0.6;
/** This much speech counts with a smaller voiced share, since chance matters less. */
const longSeconds = 1.3;
const leastVoicedShareOfLong = 0.06;
/** Greatest compensation for what the slopes at its pauses take from a turn, dB. */
const mostGivenBackDb = 3;
/** Turns of one speaker within this range share a gain, dB. */
const sameGainDb = 1;
/** Attack 80 dB/s and release 60 dB/s with corners rounded over 80 ms: 12 dB between two speakers take 0.2 s. */
export const levelingShape: CurveShape = { fallDbPerSecond: 80, riseDbPerSecond: 60, roundingSeconds: 0.08 };
/** From this range of gains on the slopes are steeper, so that a soft turn is audible from its first word, dB. */
const gentleRangeDb = 13;
/** In a longer pause the gain returns to that of the loudest speaker. */
const heldPauseSeconds = 0.4;
/** Within a turn it is held this long: a short turn would be over before the gain is back. */
const heldWithinTurnSeconds = 1.2;
/**
 * Between turns the gain is this far below the lower of both, dB: the limiter reduces speech by up to this and noise
 * not at all, and noise must not become louder relative to the voices.
 */
const restDb = 1.5;
/** Sound without a voice may have this much more gain than the loudest speaker, dB. */
const voicelessLiftDb = 1.5;
/** Range around a change of speakers without a pause that is searched for quiet moments. */
const changeReachSeconds = 0.3;
/** Speech gain extends this far before its start and after its end where it is close to the pause's gain. */
const leadSeconds = 0.04;
/** Where it is further above it, dB, the slope is in the first and last weak hops of the speech instead. */
const leadDb = 6;

export interface LevelingOptions {
  /**
   * A track of this speaker only: gains stay within 18 dB and are not lowered between turns, because other speakers are
   * attenuated separately (dominance.ts). Default false.
   */
  readonly ownTrack?: boolean;
  /** The speaker of each hop (speaker-hops.ts); null, the default, if unknown. */
  readonly speakers?: Uint8Array | null;
  /** Distinguishes voices in addition to `speakers`, as far as possible. Default null. */
  readonly timbre?: Timbre | null;
}

export interface Leveling {
  readonly curve: GainCurve;
  readonly segments: readonly LevelSegment[];
  /** Loudness of all speech before leveling, LUFS; null without speech: the curve is then flat. */
  readonly speechLufs: number | null;
  readonly lowestGainDb: number;
  readonly highestGainDb: number;
}

/** Gain of the loudest speech: that of the lowest tenth of the speaking time. */
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
 * One gain for all turns of a speaker with similar own gains: the differences are emphasis, and the gain need not move.
 * Turns further off (nearer to the microphone, a whisper) keep theirs. Changes `gains`.
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
      // Their mean, so that the speaker's overall loudness is unchanged.
      const mean = held.reduce((sum, index) => sum + gainOf(index) * hopsOf(index), 0) / most;
      for (const index of held) gains[index] = mean;
    }
  }
}

/**
 * Makes all speech equally loud with a gain that is constant within a level of speech and moves only between levels,
 * without pumping. The stretches of one level are known in advance (level-segments.ts); each gets the gain that brings
 * it to the loudness of all speech, within +-40 dB (18 for stretches shorter than 0.6 s). Between stretches the gain is
 * 1.5 dB below the lower of both, and in pauses over 0.4 s (1.2 s within a stretch) also below that of the loudest
 * speaker, so that noise between turns never becomes louder relative to the voices, whatever the limiter does. Music
 * gets at most the gain of the loudest speaker, sound without a voice 1.5 dB more. The curve is below all this with
 * bounded slopes (gain-curve.ts), steeper where the gains differ by more than 13 dB; what they take from a turn is
 * compensated. If speakers are known, a speaker's turns of nearly one level share a gain.
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
  // Breaths, rustling and hiss after a word count as speech by their level; without a voice they are not raised. A
  // known speaker's turn is an exception: creaking and whispering voices have as little voicing.
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

/** Writes the wanted gain of every hop into `demand`: for speech its segment's, for pauses and music their limit. */
function demandGains(
  demand: Float32Array,
  energy: Float32Array,
  { speech, music, hopSeconds }: Pick<SpeechActivity, 'speech' | 'music' | 'hopSeconds'>,
  segments: readonly LevelSegment[],
  gains: readonly number[],
  { reference, below }: { readonly reference: number; readonly below: number },
): void {
  // The wanted gain of every hop with speech, NaN elsewhere.
  demand.fill(Number.NaN);
  for (const [index, { start, end }] of segments.entries()) {
    for (let hop = start; hop < end; hop += 1) if (speech[hop] === 1) demand[hop] = gains[index] as number;
  }
  // Speakers may follow each other without a pause: quiet hops around the change get the lower gain.
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

/** The segment of a hop, for ascending hops; -1 for none. */
function turnsByHop(segments: readonly LevelSegment[]): (hop: number) => number {
  let index = 0;
  return (hop) => {
    while (index < segments.length && hop >= (segments[index] as LevelSegment).end) index += 1;
    return index < segments.length && hop >= (segments[index] as LevelSegment).start ? index : -1;
  };
}

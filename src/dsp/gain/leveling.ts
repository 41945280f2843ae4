import { type CurveShape, type GainCurve, smoothUnder } from './gain-curve.ts';
import { cutIntoLevels, type LevelSegment, speechLoudness } from './level-segments.ts';
import { visitRuns } from '../series/sliding.ts';
import { leastVoicedShare, type SpeechActivity, voicedShare } from '../voicing/speech-activity.ts';

/** Most gain and most attenuation against the loudness of the recording's speech, dB. */
const levelingRangeDb = 18;
/** Attack 80 dB/s and release 60 dB/s with corners rounded over 80 ms: 12 dB between two speakers take 0.2 s. */
export const levelingShape: CurveShape = { fallDbPerSecond: 80, riseDbPerSecond: 60, roundingSeconds: 0.08 };
/** In a pause longer than this the gain goes back to that of the loudest speaker and at most `pauseLiftDb` more. */
const heldPauseSeconds = 0.4;
const pauseLiftDb = 1.5;
/** How far from a change of speakers without a pause its quiet moments are looked for. */
const changeReachSeconds = 0.3;
/** The gain of speech reaches this far before its beginning and behind its end. */
const leadSeconds = 0.04;

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
 * Makes all speech equally loud with a gain that is constant while one level of speech holds, and moves only between
 * levels: nothing to pump. Known beforehand are the stretches of one level (level-segments.ts); each gets the gain that
 * brings its speech to the loudness of all speech, within +-18 dB. Between stretches the lower gain of both holds. In
 * pauses over 0.4 s and in music and in what has no voice in it the gain is at most that of the loudest speaker (plus
 * 1.5 dB in pauses), so noise there is raised by less than 3 dB against the loudest speaker's. The curve lies under all
 * this with bounded slopes (gain-curve.ts).
 */
export function levelSpeech(
  energy: Float32Array,
  activity: Pick<SpeechActivity, 'speech' | 'voiced' | 'music' | 'hopSeconds'>,
): Leveling {
  const { speech, music, hopSeconds } = activity;
  const speechLufs = speechLoudness(energy, speech);
  const demand = new Float32Array(energy.length);
  if (speechLufs === null)
    return { curve: { hopSeconds, gainsDb: demand }, segments: [], speechLufs, lowestGainDb: 0, highestGainDb: 0 };
  const segments = cutIntoLevels(energy, speech);
  const gains = segments.map(({ lufs }) => Math.max(-levelingRangeDb, Math.min(levelingRangeDb, speechLufs - lufs)));
  const reference = referenceGain(segments, gains);
  // Breaths, rustling and the hiss behind a word pass for speech by their level; without a voice in them they are not
  // raised.
  for (const [index, { start, end }] of segments.entries()) {
    if (voicedShare(activity, start, end) < leastVoicedShare)
      gains[index] = Math.min(gains[index] as number, reference + pauseLiftDb);
  }

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
  const held = Math.round(heldPauseSeconds / hopSeconds);
  const silent = new Uint8Array(demand.length);
  for (let hop = 0; hop < silent.length; hop += 1) silent[hop] = Number.isNaN(demand[hop]) ? 1 : 0;
  visitRuns(silent, (start, end) => {
    const before = start > 0 ? (demand[start - 1] as number) : Number.POSITIVE_INFINITY;
    const after = end < demand.length ? (demand[end] as number) : Number.POSITIVE_INFINITY;
    const lower = Math.min(before, after);
    const long = end - start > held || !Number.isFinite(before) || !Number.isFinite(after);
    const resting = long ? Math.min(lower, reference + pauseLiftDb) : lower;
    for (let hop = start; hop < end; hop += 1) {
      const near = hop - start < lead ? before : end - 1 - hop < lead ? after : resting;
      demand[hop] = Math.min(near, music[hop] === 1 ? reference : Number.POSITIVE_INFINITY);
    }
  });
  const curve = smoothUnder(demand, hopSeconds, levelingShape, demand);
  let [lowestGainDb, highestGainDb] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const gain of gains) {
    lowestGainDb = Math.min(lowestGainDb, gain);
    highestGainDb = Math.max(highestGainDb, gain);
  }
  return { curve, segments, speechLufs, lowestGainDb, highestGainDb };
}

import { slidingMean, slidingMin } from '../series/sliding.ts';
import { leastVoicedShare, type SpeechActivity, voicedShare } from '../voicing/speech-activity.ts';
import { loudnessOf } from '../voicing/speech-levels.ts';
import type { LevelSegment } from './level-segments.ts';

/** Greatest gain and attenuation relative to the loudness of the recording's speech, dB: for a turn, and for a word. */
const turnRangeDb = 40;
const wordRangeDb = 18;
/** Least speech in a turn. */
const turnSeconds = 0.6;
/** This much speech counts with a smaller voiced share, since chance matters less. */
const longSeconds = 1.3;
const leastVoicedShareOfLong = 0.06;
/** Turns of one speaker within this range share a gain, dB. */
const sameGainDb = 1;
/** Sound without a voice may have this much more gain than the loudest speaker, dB. */
const voicelessLiftDb = 1.5;
/** In a longer pause the gain returns to that of the loudest speaker. */
export const heldPauseSeconds = 0.4;
/** The noise of a turn is the least level this far around it, averaged over 100 ms; unknown where no pause is. */
const noiseReachSeconds = 4;
const noiseHops = 2;
/**
 * A turn this far above its noise keeps the gain of the loudest speaker, and for each decibel more it may have this
 * much more: what is raised by 25 dB is at least 16 dB above its noise, and a murmur just above it is left soft.
 */
const leastAboveNoiseDb = 6;
const gainPerDbAboveNoise = 3.5;

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
 * Breaths, rustling and hiss after a word count as speech by their level; without a voice they are raised no more than
 * the voice beside them. A known speaker's turn is an exception: creaking and whispering voices have as little voicing.
 * Changes `gains`.
 * @param most gain of sound without a voice beside it, dB
 */
function limitVoiceless(
  activity: Pick<SpeechActivity, 'speech' | 'voiced' | 'hopSeconds'>,
  segments: readonly LevelSegment[],
  gains: number[],
  most: number,
): void {
  const { hopSeconds } = activity;
  const voiced = segments.map(({ start, end, speaker, speechHops }) => {
    const isTurn = speaker !== 0 && speechHops * hopSeconds >= turnSeconds;
    const least = speechHops * hopSeconds < longSeconds ? leastVoicedShare : leastVoicedShareOfLong;
    return isTurn || voicedShare(activity, start, end) >= least;
  });
  const gainBeside = (index: number, gapHops: number): number =>
    voiced[index] === true && gapHops * hopSeconds < heldPauseSeconds
      ? (gains[index] as number)
      : Number.NEGATIVE_INFINITY;
  for (const [index, { start, end }] of segments.entries()) {
    if (voiced[index] === true) continue;
    const beside = Math.max(
      gainBeside(index - 1, start - (segments[index - 1]?.end ?? 0)),
      gainBeside(index + 1, (segments[index + 1]?.start ?? 0) - end),
    );
    gains[index] = Math.min(gains[index] as number, Math.max(most, beside));
  }
}

/**
 * Bounds each gain by how far the turn is above its noise, which is raised along: a side remark off the microphone
 * would come back as a burst of hiss. Changes `gains`.
 */
function boundByNoise(
  energy: Float32Array,
  { speech, hopSeconds }: Pick<SpeechActivity, 'speech' | 'hopSeconds'>,
  segments: readonly LevelSegment[],
  gains: number[],
  reference: number,
  bleed: Float32Array | null,
): void {
  const smooth = slidingMean(energy, noiseHops);
  const reach = Math.round(noiseReachSeconds / hopSeconds);
  const floor = slidingMin(smooth, reach, smooth);
  for (const [index, { start, end, lufs }] of segments.entries()) {
    const noise = floor.subarray(start, end).reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
    const others = (bleed?.subarray(start, end).reduce((sum, value) => sum + value, 0) ?? 0) / (end - start);
    const isNoiseKnown = speech.subarray(Math.max(0, start - reach), end + reach).includes(0);
    if (!isNoiseKnown && others === 0) continue;
    const aboveDb = lufs - loudnessOf(Math.max(1e-12, others, isNoiseKnown ? noise : 0));
    const most = reference + gainPerDbAboveNoise * Math.max(0, aboveDb - leastAboveNoiseDb);
    gains[index] = Math.min(gains[index] as number, most);
  }
}

export interface TurnGains {
  /** Gain of each segment, dB. */
  readonly gains: number[];
  /** Gain of the loudest speech, dB. */
  readonly reference: number;
}

/**
 * The gain that brings each stretch of speech to the loudness of all speech, dB: within +-40 dB (18 for stretches
 * shorter than 0.6 s and on a speaker's own track), the same for a known speaker's turns of nearly one level, less for
 * sound without a voice and for turns close to their noise.
 * @param speechLufs loudness of all speech
 */
export function turnGains(
  energy: Float32Array,
  activity: Pick<SpeechActivity, 'speech' | 'voiced' | 'hopSeconds'>,
  segments: readonly LevelSegment[],
  {
    speechLufs,
    ownTrack,
    bleed,
  }: { readonly speechLufs: number; readonly ownTrack: boolean; readonly bleed: Float32Array | null },
): TurnGains {
  const { hopSeconds } = activity;
  const gains = segments.map(({ lufs, speechHops }) => {
    const most = !ownTrack && speechHops * hopSeconds >= turnSeconds ? turnRangeDb : wordRangeDb;
    return Math.max(-most, Math.min(most, speechLufs - lufs));
  });
  holdGainOfSpeakers(segments, gains, hopSeconds);
  const reference = referenceGain(segments, gains);
  limitVoiceless(activity, segments, gains, reference + voicelessLiftDb);
  boundByNoise(energy, activity, segments, gains, reference, bleed);
  return { gains, reference };
}

import { type CurveShape, type GainCurve, smoothUnder } from './gain-curve.ts';
import { leastVoicedShare, type SpeechActivity, voicedShare } from '../voicing/speech-activity.ts';
import { type HopRun, runsOf, tidy } from '../series/sliding.ts';

/** How far music falls under a voice at least, dB. */
export const duckDepthDb = 12;
/** Music is all the way down this long after a voice begins (the ramp starts before it: the curve knows what comes). */
const downAfterSeconds = 0.1;
/** Music stays down this long behind a voice, so that it does not rise in every breath. */
const holdSeconds = 0.8;
/** Any depth down in 0.4 s, up in 0.8 s, corners rounded over 0.12 s: the slopes of 12 dB. */
const duckShape: CurveShape = { fallDbPerSecond: 30, riseDbPerSecond: 15, roundingSeconds: 0.12 };
/** Words of one phrase are one stretch. */
const phraseGapSeconds = 0.5;

/**
 * The phrases that music falls under. What passes for speech by its level but has no voice in it (a cough, a door) is
 * none.
 */
export function phrasesOf(activity: SpeechActivity): HopRun[] {
  const phrases = activity.speech.slice();
  tidy(phrases, Math.round(phraseGapSeconds / activity.hopSeconds), 1);
  return runsOf(phrases).filter(({ start, end }) => voicedShare(activity, start, end) >= leastVoicedShare);
}

/**
 * Gain curve of music under voices: down from 0.1 s after the first word, where the ramp of 0.5 s ends, to 0.8 s after
 * the last one, then up again within 0.9 s. Pauses under 1.5 s leave the music where it is or nearly so.
 * @param voices phrases of each voice track, in hops of `hopSeconds`
 * @param hops length of the curve
 * @param depthOf how far music falls under a phrase, dB, above 0; where phrases overlap the deeper holds
 */
export function duckUnder(
  voices: readonly (readonly HopRun[])[],
  hops: number,
  hopSeconds: number,
  depthOf: (phrase: HopRun) => number = () => duckDepthDb,
): GainCurve {
  const demand = new Float32Array(hops);
  const down = Math.round(downAfterSeconds / hopSeconds);
  const hold = Math.round(holdSeconds / hopSeconds);
  let deepest = duckDepthDb;
  for (const phrase of voices.flat()) {
    const { start, end } = phrase;
    const depthDb = depthOf(phrase);
    deepest = Math.max(deepest, depthDb);
    for (let hop = start + Math.min(down, end - start - 1); hop < Math.min(hops, end + hold); hop += 1)
      demand[hop] = Math.min(demand[hop] as number, -depthDb);
  }
  const steeper = deepest / duckDepthDb;
  const shape: CurveShape = {
    ...duckShape,
    fallDbPerSecond: duckShape.fallDbPerSecond * steeper,
    riseDbPerSecond: duckShape.riseDbPerSecond * steeper,
  };
  return smoothUnder(demand, hopSeconds, shape, demand);
}

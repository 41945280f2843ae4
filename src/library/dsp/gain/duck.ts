import { type CurveShape, type GainCurve, smoothUnder } from './gain-curve.ts';
import { leastVoicedShare, type SpeechActivity, voicedShare } from '../voicing/speech-activity.ts';
import { type HopRun, runsOf, tidy } from '../series/sliding.ts';

/** Least attenuation of music under a voice, dB. */
export const duckDepthDb = 12;
/**
 * Music is fully down this long after a voice starts (the ramp starts earlier, since the curve is known in advance).
 */
const downAfterSeconds = 0.1;
/** Music stays down this long after a voice, so that it does not rise in every breath. */
const holdSeconds = 0.8;
/**
 * Music does not come back for less than this between two phrases, seconds: it would swell in every pause for thought.
 */
const shortestReturnSeconds = 2.5;
/** Any depth down in 0.4 s, up in 0.8 s, corners rounded over 0.12 s: the slopes of 12 dB. */
const duckShape: CurveShape = { fallDbPerSecond: 30, riseDbPerSecond: 15, roundingSeconds: 0.12 };
/** Shorter gaps are within a phrase. */
const phraseGapSeconds = 0.5;

/** The phrases that duck music. Speech by level without any voice in it (a cough, a door) does not count. */
export function phrasesOf(activity: SpeechActivity): HopRun[] {
  const phrases = activity.speech.slice();
  tidy(phrases, Math.round(phraseGapSeconds / activity.hopSeconds), 1);
  return runsOf(phrases).filter(({ start, end }) => voicedShare(activity, start, end) >= leastVoicedShare);
}

/** Keeps the lesser depth of both phrases in gaps of fewer hops than `least`. Changes `demand`. */
function stayDown(demand: Float32Array, least: number): void {
  const isUp = Uint8Array.from(demand, (gain) => (gain === 0 ? 1 : 0));
  for (const { start, end } of runsOf(isUp)) {
    if (start === 0 || end === demand.length || end - start >= least) continue;
    demand.fill(Math.max(demand[start - 1] as number, demand[end] as number), start, end);
  }
}

/**
 * Gain curve of music under voices: fully down from 0.1 s after the first word, where the ramp of 0.5 s ends, to 0.8 s
 * after the last one, then up again within 0.9 s. In pauses under 2.5 s the music stays down.
 * @param voices phrases of each voice track, in hops of `hopSeconds`
 * @param hops length of the curve
 * @param depthOf attenuation under a phrase, dB, above 0; the deeper one counts where phrases overlap
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
  stayDown(demand, Math.round((shortestReturnSeconds - holdSeconds + downAfterSeconds) / hopSeconds));
  const steeper = deepest / duckDepthDb;
  const shape: CurveShape = {
    ...duckShape,
    fallDbPerSecond: duckShape.fallDbPerSecond * steeper,
    riseDbPerSecond: duckShape.riseDbPerSecond * steeper,
  };
  return smoothUnder(demand, hopSeconds, shape, demand);
}

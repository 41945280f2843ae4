import { sumOf } from '../../series/elementwise.ts';
import { musicalClasses, speechClasses } from '../../listener/sound-classes.ts';
import type { Heard } from '../../listener/listener.ts';
import { hopsPerSecond } from './power-ear.ts';

/**
 * Means over five seconds from which they are music, where speech has less: instruments 99.1 % of such stretches, songs
 * 87.5 %, speech 0, noises .8 % (recordings that the threshold was not set on).
 */
const leastMusical = 0.2;
const reachSeconds = 2;
/** A second at the edge has some music itself. */
const leastAtEdge = 0.1;

/**
 * Standard deviation of the level over the five seconds, dB, that all music has: eleven foreign pieces have at least
 * 1.5, a hum and a fan, which are singing bowls and synthesizers to the listener, at most 0.5.
 */
const leastSwingDb = 1;

/** Seconds to either side that a decision depends on. */
export const musicalReachSeconds = reachSeconds + 2;

/** Means over the patches of a second. */
interface SecondScores {
  readonly speech: number;
  readonly musical: number;
}

/** Decides second by second what is music without a voice. Remembers what it heard until that is discarded. */
export interface MusicalSeconds {
  is(second: number): Promise<boolean>;
  discard(before: number): void;
}

function scoresOf(heard: Heard): SecondScores {
  const scores = { speech: 0, musical: 0 };
  for (let patch = 0; patch < heard.patches; patch += 1) {
    scores.speech += heard.scoreIn(patch, speechClasses) / heard.patches;
    scores.musical += heard.scoreIn(patch, musicalClasses) / heard.patches;
  }
  return scores;
}

const isMusic = ({ speech, musical }: SecondScores, least: number): boolean => musical >= least && musical >= speech;

function swingDbOf(powers: Float32Array): number {
  const levels = powers.map((power) => 10 * Math.log10(power + 1e-12));
  const mean = sumOf(levels) / levels.length;
  return Math.sqrt(levels.reduce((sum, level) => sum + (level - mean) ** 2, 0) / levels.length);
}

/**
 * @param hear what is heard in a second of the recording; null where there is nothing
 * @param powers of the hops between two
 * @param onHeard gets each second that was heard, once
 */
export function createMusicalSeconds(
  hear: (second: number) => Promise<Heard | null>,
  powers: (from: number, to: number) => Float32Array,
  onHeard: (heard: Heard) => void,
): MusicalSeconds {
  const known = new Map<number, SecondScores | null>();
  const heardIn = async (second: number): Promise<SecondScores | null> => {
    const before = known.get(second);
    if (before !== undefined) return before;
    const heard = second < 0 ? null : await hear(second);
    if (heard !== null) onHeard(heard);
    const scores = heard === null ? null : scoresOf(heard);
    known.set(second, scores);
    return scores;
  };
  const around = async (second: number): Promise<boolean> => {
    if ((await heardIn(second)) === null) return false;
    let [speech, musical, count] = [0, 0, 0];
    for (let near = second - reachSeconds; near <= second + reachSeconds; near += 1) {
      const scores = await heardIn(near);
      if (scores === null) continue;
      speech += scores.speech;
      musical += scores.musical;
      count += 1;
    }
    if (!isMusic({ speech: speech / count, musical: musical / count }, leastMusical)) return false;
    const first = Math.max(0, second - reachSeconds) * hopsPerSecond;
    return swingDbOf(powers(first, (second + reachSeconds + 1) * hopsPerSecond)) >= leastSwingDb;
  };
  const plays = async (second: number): Promise<boolean> => {
    const own = await heardIn(second);
    return own !== null && isMusic(own, leastAtEdge);
  };
  return {
    async is(second) {
      if (!(await around(second))) return false;
      if (await plays(second)) return (await around(second - 1)) || around(second + 1);
      // A rest, or a word, inside of music.
      const before = (await plays(second - 1)) || (await plays(second - 2));
      return before && ((await plays(second + 1)) || plays(second + 2));
    },
    discard(before) {
      for (const second of known.keys()) if (second < before) known.delete(second);
    },
  };
}

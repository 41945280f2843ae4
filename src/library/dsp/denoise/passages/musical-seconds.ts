import { sumOf } from '../../series/elementwise.ts';
import { musicalClasses, musicClass, speechClasses, struckClasses } from '../../listener/sound-classes.ts';
import type { Heard } from '../../listener/listener.ts';
import { hopsPerSecond } from './power-ear.ts';

/** Mean over five seconds from which they may be music, where speech has less. */
const leastMusical = 0.2;
/**
 * Mean of Music over those of them that sound like any, from which they are. Eight foreign pieces and eleven by
 * script have .77 and more, machines by script up to .45, but for a sewing machine and a printer (.57 to .77).
 */
const leastMusic = 0.5;
/** As much of an instrument that is struck is enough: castanets have .31, and hardly any Music. */
const leastStruck = 0.2;
/**
 * So is this much of any instrument: a bell has .98, and no Music. Of 32 noises by script none more is music for it,
 * and no second of six voices alone or over music.
 */
const leastOfAny = 0.6;
const reachSeconds = 2;
/** A second at the edge has some music itself. */
const leastAtEdge = 0.1;
/**
 * Speech in a patch of such a second from which a voice is over the music, which is the suppressor's: nineteen pieces
 * and songs have at most .01, speech over music and in a loud hum .16 to .93.
 */
const leastVoice = 0.05;
/** One second in five with both may be where a talk ends and music begins. */
const leastSecondsOver = 2;

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
  readonly music: number;
  readonly struck: number;
  /** Music and all instruments. */
  readonly musical: number;
  /** The greatest of the patches. */
  readonly mostSpeech: number;
}

/** Decides second by second what is music without a voice. Remembers what it heard until that is discarded. */
export interface MusicalSeconds {
  is(second: number): Promise<boolean>;
  discard(before: number): void;
}

function scoresOf(heard: Heard): SecondScores {
  const patches = Array.from({ length: heard.patches }, (_, patch) => patch);
  const mean = (classes: readonly number[]): number =>
    patches.reduce((sum, patch) => sum + heard.scoreIn(patch, classes), 0) / heard.patches;
  return {
    speech: mean(speechClasses),
    music: mean([musicClass]),
    struck: mean(struckClasses),
    musical: mean(musicalClasses),
    mostSpeech: patches.reduce((most, patch) => Math.max(most, heard.scoreIn(patch, speechClasses)), 0),
  };
}

/** Has a second some music? */
const sounds = ({ speech, musical }: SecondScores): boolean => musical >= leastAtEdge && musical >= speech;
const hasVoiceOver = ({ mostSpeech, musical }: SecondScores): boolean =>
  mostSpeech >= leastVoice && musical >= leastAtEdge;

const meanOf = (seconds: readonly SecondScores[], of: (scores: SecondScores) => number): number =>
  seconds.reduce((sum, scores) => sum + of(scores), 0) / seconds.length;

/** Of the seconds around one. */
function areMusic(seconds: readonly SecondScores[]): boolean {
  const musical = meanOf(seconds, (scores) => scores.musical);
  if (musical < leastMusical || musical < meanOf(seconds, ({ speech }) => speech)) return false;
  if (seconds.filter(hasVoiceOver).length >= leastSecondsOver) return false;
  const sounding = seconds.filter(sounds);
  return (
    meanOf(sounding, ({ music }) => music) >= leastMusic ||
    meanOf(sounding, ({ struck }) => struck) >= leastStruck ||
    meanOf(sounding, (scores) => scores.musical) >= leastOfAny
  );
}

function swingDbOf(powers: Float32Array): number {
  const levels = powers.map((power) => 10 * Math.log10(power + 1e-12));
  const mean = sumOf(levels) / levels.length;
  return Math.sqrt(levels.reduce((sum, level) => sum + (level - mean) ** 2, 0) / levels.length);
}

/**
 * @param hear what is heard in a second of the recording; null where there is nothing
 * @param powers of the hops between two
 * @param onHeard gets each second that was heard, once, and the powers of its hops
 */
export function createMusicalSeconds(
  hear: (second: number) => Promise<Heard | null>,
  powers: (from: number, to: number) => Float32Array,
  onHeard: (heard: Heard, powers: Float32Array) => void,
): MusicalSeconds {
  const known = new Map<number, SecondScores | null>();
  const heardIn = async (second: number): Promise<SecondScores | null> => {
    const before = known.get(second);
    if (before !== undefined) return before;
    const heard = second < 0 ? null : await hear(second);
    if (heard !== null) onHeard(heard, powers(second * hopsPerSecond, (second + 1) * hopsPerSecond));
    const scores = heard === null ? null : scoresOf(heard);
    known.set(second, scores);
    return scores;
  };
  const around = async (second: number): Promise<boolean> => {
    if ((await heardIn(second)) === null) return false;
    const all: SecondScores[] = [];
    for (let near = second - reachSeconds; near <= second + reachSeconds; near += 1) {
      const scores = await heardIn(near);
      if (scores !== null) all.push(scores);
    }
    if (!areMusic(all)) return false;
    const first = Math.max(0, second - reachSeconds) * hopsPerSecond;
    return swingDbOf(powers(first, (second + reachSeconds + 1) * hopsPerSecond)) >= leastSwingDb;
  };
  const plays = async (second: number): Promise<boolean> => {
    const own = await heardIn(second);
    return own !== null && sounds(own);
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

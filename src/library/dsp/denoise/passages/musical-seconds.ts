import { sumOf } from '../../series/elementwise.ts';
import type { Hearing } from './ear.ts';
import { characterOf, isMusic, musicReachSeconds } from './music.ts';
import { hopsPerSecond } from './power-ear.ts';

/** A second is music when most seconds around it are, ... */
export const majorityReach = 2;
export const majority = 3;
/** ... and so are its neighbours as long as they have no voice. */
const growSeconds = 2;
const noVoiceDb = -6;
/** A second with more sound left has a voice in it, dB. */
const voiceDb = -4;

/** Seconds to either side that a decision depends on. */
export const musicalReachSeconds = majorityReach + growSeconds + musicReachSeconds + 1;

/** Decides second by second what is music without a voice. Remembers decisions until they are discarded. */
export interface MusicalSeconds {
  is(second: number): boolean;
  discard(before: number): void;
}

/** @param mostKeptDb of music, see `isMusic` */
export function createMusicalSeconds(hearing: Hearing, mostKeptDb: number): MusicalSeconds {
  const known = new Map<number, boolean>();
  const keptDb = (second: number): number => {
    const [from, to] = [second * hopsPerSecond, Math.min(hearing.end, (second + 1) * hopsPerSecond)];
    if (second < 0 || to <= from) return 0;
    return 10 * Math.log10((sumOf(hearing.left(from, to)) + 1e-20) / (sumOf(hearing.heard(from, to)) + 1e-20));
  };
  const core = (second: number): boolean => {
    if (second < 0) return false;
    let answer = known.get(second);
    if (answer === undefined) {
      const character = characterOf(hearing, second);
      known.set(second, (answer = character !== null && isMusic(character, mostKeptDb)));
    }
    return answer;
  };
  const mostly = (second: number): boolean => {
    let count = 0;
    for (let near = second - majorityReach; near <= second + majorityReach; near += 1) if (core(near)) count += 1;
    return count >= majority && keptDb(second) <= voiceDb;
  };
  return {
    is(second) {
      if (mostly(second)) return true;
      for (const step of [-1, 1]) {
        for (let away = 0; away <= growSeconds; away += 1) {
          const place = second + step * away;
          if (away > 0 && mostly(place)) return true;
          if (keptDb(place) > noVoiceDb) break;
        }
      }
      return false;
    },
    discard(before) {
      for (const second of known.keys()) if (second < before) known.delete(second);
    },
  };
}

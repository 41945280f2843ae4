import type { Heard } from '../../listener/listener.ts';
import { cowbellClass, speechClasses, sureAnimalClasses } from '../../listener/sound-classes.ts';

/**
 * A second of strikes: for a quarter of it the level is this much under its highest, and for half of it so much, dB.
 * Castanets, a cowbell, snaps and two loops that are no music to the listener have 23 to 69 and 13 to 68, of thirty
 * noises by script all that sound on or have a background less in one of both.
 */
const leastFloorDb = 20;
const leastDecayDb = 10;
/** In one patch of the recording: somebody speaks. Of 6,243 patches of music none has it. */
const leastSpeech = 0.5;
/** Barks and birds are struck alike; half a second with this much is theirs. */
const leastAnimal = 0.3;
const animals = sureAnimalClasses.filter((each) => each !== cowbellClass);

/** Finds recordings in which all that sounds is struck: drums, castanets, snaps, knocks. */
export interface StruckSeconds {
  /** @param powers of its hops */
  add(heard: Heard, powers: Float32Array): void;
  /** Most seconds with sound are strikes over a quiet background, no one speaks, and few of them are animals'. */
  areAll(): boolean;
}

function isStruck(powers: Float32Array): boolean {
  const ascending = powers.toSorted();
  const underDb = (share: number): number =>
    10 *
    Math.log10(
      ((ascending.at(-1) as number) + 1e-12) / ((ascending[Math.floor(share * powers.length)] as number) + 1e-12),
    );
  return underDb(0.25) >= leastFloorDb && underDb(0.5) >= leastDecayDb;
}

export function createStruckSeconds(): StruckSeconds {
  let [seconds, struck, spoken, patches, barking] = [0, 0, 0, 0, 0];
  return {
    add(heard, powers) {
      seconds += 1;
      if (isStruck(powers)) struck += 1;
      patches += heard.patches;
      for (let patch = 0; patch < heard.patches; patch += 1) {
        if (heard.scoreIn(patch, speechClasses) >= leastSpeech) spoken += 1;
        if (heard.scoreIn(patch, animals) >= leastAnimal) barking += 1;
      }
    },
    areAll: () => spoken === 0 && 2 * struck > seconds && 2 * barking < patches,
  };
}

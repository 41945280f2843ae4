// Classes of YAMNet by what the tools ask (AudioSet's ontology: Gemmeke et al., 2017), numbered as in its class map.

/** Of each patch of sound the network gives so many scores. */
export const classCount = 521;

const from = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Speech, child speech, conversation, narration. */
export const speechClasses: readonly number[] = [0, 1, 2, 3];
export const whisperClass = 12;
/** Whatever a human mouth makes: talk, shouts, laughter, crying, whispers, sighs, singing. */
export const humanClasses: readonly number[] = from(0, 32);
export const musicClass = 132;
/** Dogs, cats, farm and wild animals, birds, insects. */
export const animalClasses: readonly number[] = from(67, 131);
/** Music, instruments and singing: by Music alone, castanets and glockenspiels are missed. */
export const musicalClasses: readonly number[] = [...from(132, 276), ...from(24, 32)];
/** Drums, cymbals, wood blocks, gongs, marimbas, glockenspiels, and bells; no drum machine, which footsteps are. */
export const struckClasses: readonly number[] = [...from(159, 178), 195];
/**
 * Without what pieces of voices are taken for: animals of any kind, goats, sheep, fowl and turkeys, frogs. Half of a
 * hoarse word is a sheep with a score of .5.
 */
export const sureAnimalClasses: readonly number[] = [
  ...from(68, 80),
  ...from(82, 89),
  ...from(94, 96),
  ...from(99, 126),
  ...from(129, 131),
];
/** Livestock in AudioSet, and a drum kit's. */
export const cowbellClass = 87;
/** Applause, bells, telephones, alarms, sirens, glass, horns. */
export const signalClasses: readonly number[] = [58, 61, 62, 64, 302, 303, 304, 312, 349, 350].concat(
  from(195, 200),
  from(316, 319),
  from(383, 385),
  from(389, 394),
  from(435, 438),
  from(475, 478),
);
/** Thunder, doors that slam, knocks, shots, explosions, what falls and breaks. */
export const bangClasses: readonly number[] = [
  280, 281, 348, 352, 353, 354, 358, 359, 420, 421, 422, 424, 426, 428, 430, 454, 455, 460, 461, 462, 463, 464,
];

/**
 * Sounds that are told by name, those that are found reliably: with at least nine of ten right and six of ten found
 * (docs/speech.md). Laughter, coughs, singing, doors and glass are not.
 */
export const soundKinds = [
  'music',
  'applause',
  'siren',
  'ringing',
  'thunder',
  'animal',
  'dog',
  'cat',
  'bird',
  'horse',
  'livestock',
] as const;

/** ringing: of a telephone or a doorbell; animal: one that is not told; livestock: cattle, pigs, goats, sheep, fowl. */
export type SoundKind = (typeof soundKinds)[number];

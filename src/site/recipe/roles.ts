// What a track is, guessed from its name; a person corrects it.

export const roles = ['voice', 'music', 'effects'] as const;
export type Role = (typeof roles)[number];

const words: Readonly<Record<Role, readonly string[]>> = {
  // First: "host-intro" is a person.
  voice: (
    'voice voices host cohost guest speaker interview talk vocal vocals mic mike narrator narration stimme gast ' +
    'sprecher sprecherin moderator moderation moderatorin gespraech gespräch mikro'
  ).split(' '),
  music: (
    'music musik song theme intro outro jingle bed bett bumper sting stinger soundtrack score loop titelmelodie melodie ' +
    'background hintergrund instrumental beat'
  ).split(' '),
  effects:
    'effect effects effekt effekte fx sfx atmo ambience ambient sound sounds foley geräusch geräusche noise'.split(' '),
};

/** null: the name says nothing. */
export function roleByName(filename: string): Role | null {
  const parts = filename
    .replace(/\.[^.]*$/, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  return roles.find((role) => parts.some((part) => words[role].includes(part))) ?? null;
}

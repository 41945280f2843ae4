import { createHash, randomBytes } from 'node:crypto';

export type IdPrefix =
  | 'acc'
  | 'chain'
  | 'chg'
  | 'key'
  | 'file'
  | 'job'
  | 'led'
  | 'pay'
  | 'run'
  | 'hook'
  | 'ver'
  | 'shr'
  | 'com'
  | 'voice';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `<prefix>_<22 alphanumerics>`: 131 random bits, so ids need no coordination and cannot be guessed. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomAlphanumerics(22)}`;
}

/** Letters and digits, evenly distributed. */
export const randomAlphanumerics = (count: number): string => alphanumerics(count, () => randomBytes(count * 2));

/** The same, derived from a text: equal texts give equal results. */
export const alphanumericsOf = (text: string, count: number): string =>
  alphanumerics(count, (round) => createHash('sha512').update(`${round}:${text}`).digest());

function alphanumerics(count: number, bytes: (round: number) => Buffer): string {
  let text = '';
  for (let round = 0; text.length < count; round += 1) {
    // 248 is the largest multiple of 62 below 256: larger bytes would favour the first characters.
    for (const byte of bytes(round)) if (byte < 248 && text.length < count) text += alphabet[byte % 62];
  }
  return text;
}

import { randomBytes } from 'node:crypto';

export type IdPrefix = 'acc' | 'key' | 'file' | 'job' | 'led' | 'pay';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `<prefix>_<22 alphanumerics>`: 131 random bits, so ids need no coordination and cannot be guessed. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomAlphanumerics(22)}`;
}

/** Letters and digits, evenly distributed. */
export function randomAlphanumerics(count: number): string {
  let text = '';
  while (text.length < count) {
    // 248 is the largest multiple of 62 in a byte: what lies above would favour the first characters.
    for (const byte of randomBytes(count * 2)) if (byte < 248 && text.length < count) text += alphabet[byte % 62];
  }
  return text;
}

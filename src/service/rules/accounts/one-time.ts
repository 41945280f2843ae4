import { hashSecret } from './access.ts';
import { randomAlphanumerics } from '../shared/ids.ts';

const length = 43;

/** A token of a link or a browser, 256 bits, and the hash to store. */
export function makeOneTimeToken(): { readonly token: string; readonly hash: string } {
  const token = randomAlphanumerics(length);
  return { token, hash: hashSecret(token) };
}

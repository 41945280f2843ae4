import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Settings } from './ports.ts';

/** What a token gives its holder. One for something else is worth nothing. */
export type TokenPurpose = 'upload' | 'download' | 'status' | 'finish' | 'receipt' | 'credits';

export type TokenReading =
  | { readonly ok: true; readonly id: string; readonly expiresAt: Date }
  | { readonly ok: false; readonly reason: 'forged' | 'expired' };

/**
 * Links that are their own credential: who holds one may do this one thing with this one record until then. Nothing is
 * stored.
 */
export interface Tokens {
  /** Safe in a URL path. Times are kept to the second, rounded up. */
  sign(purpose: TokenPurpose, id: string, expiresAt: Date): string;
  /** What the token is for, and whether it is still good at `now`. */
  read(purpose: TokenPurpose, token: string, now: Date): TokenReading;
}

/** The secret is made once and shared by all processes of the service through the settings. */
export async function createTokens(settings: Settings): Promise<Tokens> {
  const secret = await settings.getOrCreate('token_secret', () => randomBytes(32).toString('base64url'));
  return createTokensWith(secret);
}

/** `<payload>.<HMAC-SHA256 of it>`, both base64url; the payload names purpose, id and the second of its end. */
export function createTokensWith(secret: string): Tokens {
  const signatureOf = (payload: string): Buffer => createHmac('sha256', secret).update(payload).digest();

  return {
    sign(purpose, id, expiresAt) {
      const payload = Buffer.from(`${purpose}:${id}:${Math.ceil(expiresAt.getTime() / 1000)}`).toString('base64url');
      return `${payload}.${signatureOf(payload).toString('base64url')}`;
    },
    read(purpose, token, now) {
      const [payload = '', signature = '', ...more] = token.slice(0, 1000).split('.');
      const given = Buffer.from(signature, 'base64url');
      const wanted = signatureOf(payload);
      // Decoding is lenient about what follows the last whole byte: the text has to be the one spelling.
      const genuine =
        given.length === wanted.length &&
        timingSafeEqual(given, wanted) &&
        given.toString('base64url') === signature &&
        more.length === 0;
      if (!genuine) return { ok: false, reason: 'forged' };
      const [signedPurpose, id = '', seconds] = Buffer.from(payload, 'base64url').toString().split(':');
      if (signedPurpose !== purpose) return { ok: false, reason: 'forged' };
      const expiresAt = new Date(Number(seconds) * 1000);
      return now >= expiresAt ? { ok: false, reason: 'expired' } : { ok: true, id, expiresAt };
    },
  };
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { keyRefreshMs, loadTokenKeys, signingKey, type TokenKey, type TokenKeyStore } from './token-keys.ts';

/** What a token permits; it is invalid for any other purpose. */
export type TokenPurpose =
  | 'upload'
  | 'download'
  | 'result'
  | 'status'
  | 'finish'
  | 'receipt'
  | 'credits'
  | 'runner'
  | 'input'
  | 'share';

export type TokenReading =
  | { readonly ok: true; readonly id: string; readonly expiresAt: Date }
  | { readonly ok: false; readonly reason: 'forged' | 'expired' };

/**
 * Signed links that are their own credential, for one purpose, one record and a limited time. Tokens are not stored.
 */
export interface Tokens {
  /** Safe in a URL path. Times are kept to the second, rounded up. */
  sign(purpose: TokenPurpose, id: string, expiresAt: Date): string;
  /** The token's record, if it is valid at `now`. */
  read(purpose: TokenPurpose, token: string, now: Date): Promise<TokenReading>;
}

/** Keys are shared by all processes and reloaded every minute. */
export async function createTokens(store: TokenKeyStore, now: () => Date = () => new Date()): Promise<Tokens> {
  let keys = await loadTokenKeys(store, now());
  let loadedAt = now();
  let loading: Promise<void> | undefined;
  const refresh = async (): Promise<void> => {
    if (now().getTime() - loadedAt.getTime() < keyRefreshMs) return;
    loading ??= (async () => {
      try {
        keys = await loadTokenKeys(store, now());
        loadedAt = now();
      } catch {
        // The database is unavailable: the known keys are still valid.
      } finally {
        loading = undefined;
      }
    })();
    await loading;
  };
  return {
    sign(purpose, id, expiresAt) {
      void refresh();
      return signWith(signingKey(keys, now()), purpose, id, expiresAt);
    },
    async read(purpose, token, at) {
      await refresh();
      return readWith(keys, purpose, token, at);
    },
  };
}

const signatureOf = (secret: string, signed: string): Buffer => createHmac('sha256', secret).update(signed).digest();

/** Tokens of this key contain no key id: they are older than key rotation. */
const firstKeyId = '0';

/** `<key>.<payload>.<HMAC-SHA256 of both>`, base64url; the payload has purpose, id and expiry in seconds. */
function signWith(key: TokenKey, purpose: TokenPurpose, id: string, expiresAt: Date): string {
  const payload = Buffer.from(`${purpose}:${id}:${Math.ceil(expiresAt.getTime() / 1000)}`).toString('base64url');
  const signed = key.id === firstKeyId ? payload : `${key.id}.${payload}`;
  return `${signed}.${signatureOf(key.secret, signed).toString('base64url')}`;
}

function readWith(keys: readonly TokenKey[], purpose: TokenPurpose, token: string, now: Date): TokenReading {
  const parts = token.slice(0, 1000).split('.');
  const [keyId = '', payload = '', signature = ''] = parts.length === 2 ? [firstKeyId, ...parts] : parts;
  const key = parts.length > 3 ? undefined : keys.find(({ id }) => id === keyId);
  if (key === undefined) return { ok: false, reason: 'forged' };
  const given = Buffer.from(signature, 'base64url');
  const wanted = signatureOf(key.secret, parts.slice(0, -1).join('.'));
  // Base64url decoding ignores trailing bits: accept only the canonical spelling.
  const genuine =
    given.length === wanted.length && timingSafeEqual(given, wanted) && given.toString('base64url') === signature;
  if (!genuine) return { ok: false, reason: 'forged' };
  const [signedPurpose, id = '', seconds] = Buffer.from(payload, 'base64url').toString().split(':');
  if (signedPurpose !== purpose) return { ok: false, reason: 'forged' };
  const expiresAt = new Date(Number(seconds) * 1000);
  return now >= expiresAt ? { ok: false, reason: 'expired' } : { ok: true, id, expiresAt };
}

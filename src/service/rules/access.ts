import { createHash } from 'node:crypto';
import { EarshotError } from '../../library/core/errors.ts';
import { alphanumericsOf, randomAlphanumerics } from './ids.ts';
import type { AccountStore } from './ports.ts';
import type { Authentication } from './service.ts';

/** Verifies what somebody else issued. */
export interface AccessTokenVerifier {
  /**
   * Who the token speaks for.
   * @throws EarshotError unauthorized; internal_error when the issuer's keys cannot be had
   */
  verify(token: string): Promise<{ readonly subject: string }>;
}

const keyPrefix = 'svc_sk_';
const keySecretLength = 40;
/** What is kept of a key to tell it apart: enough to recognise, far too little to guess. */
const shownLength = keyPrefix.length + 6;
const sessionTokenLength = 43;
/** One write a minute is enough to show when a key was last used. */
const touchEveryMilliseconds = 60_000;

/**
 * A secret and what of it may be stored. The secret is shown once and lives nowhere.
 * @param seed as random as a secret has to be: the same one makes the same secret. Default: null, a fresh one
 */
export function makeKeySecret(seed: string | null = null): {
  readonly secret: string;
  readonly prefix: string;
  readonly hash: string;
} {
  const secret =
    keyPrefix + (seed === null ? randomAlphanumerics(keySecretLength) : alphanumericsOf(seed, keySecretLength));
  return { secret, prefix: secret.slice(0, shownLength), hash: hashSecret(secret) };
}

export function makeSessionToken(): { readonly token: string; readonly hash: string } {
  const token = randomAlphanumerics(sessionTokenLength);
  return { token, hash: hashSecret(token) };
}

/** Secrets are long and random, so a plain hash is as good as a slow one. */
const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** @param verifier of access tokens; null: no issuer is configured, and every token is refused */
export function createAccess(
  accounts: AccountStore,
  verifier: AccessTokenVerifier | null,
  now: () => Date = () => new Date(),
): Authentication {
  /**
   * Lookups under way: fifty requests that arrive together with one key ask the database once. Nothing outlives its
   * lookup.
   */
  const lookups = new Map<string, ReturnType<AccountStore['findKey']>>();

  function findKey(hash: string): ReturnType<AccountStore['findKey']> {
    const current = lookups.get(hash);
    if (current) return current;
    const fresh = accounts.findKey(hash).finally(() => lookups.delete(hash));
    lookups.set(hash, fresh);
    return fresh;
  }

  async function byKey(secret: string) {
    const found = await findKey(hashSecret(secret));
    if (found === null) throw unauthorized('This API key does not exist');
    if (found.key.revokedAt !== null) throw unauthorized(`The API key ${found.key.prefix}... was revoked`);
    const at = now();
    const { lastUsedAt } = found.key;
    // Knowing when a key was used is worth less than the request it was used for.
    if (lastUsedAt === null || at.getTime() - lastUsedAt.getTime() >= touchEveryMilliseconds)
      await accounts.touchKey(found.key.id, at).catch(() => undefined);
    return found.account;
  }

  async function byAccessToken(token: string) {
    if (verifier === null)
      throw unauthorized(`Expected an API key, which begins with ${keyPrefix}; access tokens are not accepted here`);
    const { subject } = await verifier.verify(token);
    const account = await accounts.findByOauthSubject(subject);
    if (account === null) throw unauthorized('The access token is valid, but no account belongs to its subject');
    return account;
  }

  return {
    byKey(key) {
      if (key.startsWith(keyPrefix)) return byKey(key);
      return Promise.reject(unauthorized(`Expected an API key, which begins with ${keyPrefix}`));
    },
    byBearer: (token) => (token.startsWith(keyPrefix) ? byKey(token) : byAccessToken(token)),
    async bySession(token) {
      const account = await accounts.findSession(hashSecret(token), now());
      if (account === null) throw unauthorized('The session is over or does not exist');
      return account;
    },
  };
}

const unauthorized = (message: string): EarshotError => new EarshotError('unauthorized', message);

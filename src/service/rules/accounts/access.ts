import { createHash } from 'node:crypto';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { alphanumericsOf, randomAlphanumerics } from '../shared/ids.ts';
import type { AccountStore } from './account-store.ts';
import type { ProgramStore } from './program-store.ts';
import type { Account } from './account.ts';
import type { Session } from './sign-in-store.ts';

/** Where an access token is shown: at the assistants' door, or at the APIs. */
export type Door = 'mcp' | 'api';

/** Finds the account of a request. */
export interface Authentication {
  /**
   * API key (svc_sk_...) or OAuth access token, without "Bearer ".
   * @param door of an access token of our own authorization server. Default: api
   * @throws unauthorized; forbidden: blocked
   */
  byBearer(token: string, door?: Door): Promise<Account>;
  /** API key (svc_sk_...) only. @throws unauthorized; forbidden: blocked */
  byKey(key: string): Promise<Account>;
  /** Value of the session cookie. @throws unauthorized; forbidden: blocked */
  bySession(token: string): Promise<Account>;
  /** The same with the session itself. @throws unauthorized; forbidden: blocked */
  session(token: string): Promise<{ readonly session: Session; readonly account: Account }>;
}

/** Verifies access tokens of an OAuth issuer. */
export interface AccessTokenVerifier {
  /**
   * The subject that the token was issued to, or the grant of our own authorization server that it belongs to.
   * @param door default: api
   * @throws EarshotError unauthorized; internal_error when the issuer's keys cannot be fetched
   */
  verify(token: string, door?: Door): Promise<{ readonly subject: string } | { readonly grant: string }>;
}

const keyPrefix = 'svc_sk_';
const runnerPrefix = 'svc_rt_';
/** How our lasting secrets begin, so that the log can leave them out. */
export const secretPrefixes = [keyPrefix, runnerPrefix] as const;
const keySecretLength = 40;
/** The visible part of a key: enough to recognise it, far too little to guess it. */
const shownLength = keyPrefix.length + 6;
const sessionTokenLength = 43;
/** One write a minute is enough to show when a key was last used. */
const touchEveryMilliseconds = 60_000;
const seenEveryMilliseconds = 5 * 60_000;

/**
 * A secret with the prefix and the hash to store. The secret itself is shown once and never stored.
 * @param seed at least as random as the secret; the same seed gives the same secret. Default: null, a fresh secret
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

/** The token of a runner, and what is kept of it. */
export function makeRunnerToken(): { readonly token: string; readonly prefix: string; readonly hash: string } {
  const token = runnerPrefix + randomAlphanumerics(keySecretLength);
  return { token, prefix: token.slice(0, shownLength), hash: hashSecret(token) };
}

export function makeSessionToken(): { readonly token: string; readonly hash: string } {
  const token = randomAlphanumerics(sessionTokenLength);
  return { token, hash: hashSecret(token) };
}

/** Secrets are long and random, so they need no slow hash. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * @param verifier null: there is no issuer, and every access token is refused
 * @param programs grants of our own authorization server. Default: none
 */
export function createAccess(
  accounts: AccountStore,
  verifier: AccessTokenVerifier | null,
  now: () => Date = () => new Date(),
  programs: Pick<ProgramStore, 'accountOfGrant'> | null = null,
): Authentication {
  /**
   * Lookups in progress: concurrent requests with the same key share one query. Results are not cached.
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
    // A failed write of the time must not fail the request.
    if (lastUsedAt === null || at.getTime() - lastUsedAt.getTime() >= touchEveryMilliseconds)
      await accounts.touchKey(found.key.id, at).catch(() => undefined);
    return found.account;
  }

  async function byAccessToken(token: string, door: Door) {
    if (verifier === null)
      throw unauthorized(`Expected an API key, which begins with ${keyPrefix}; access tokens are not accepted here`);
    const read = await verifier.verify(token, door);
    if ('grant' in read) {
      const account = (await programs?.accountOfGrant(read.grant)) ?? null;
      if (account === null) throw unauthorized('The access token is not valid: it was revoked');
      return account;
    }
    const account = await accounts.findByOauthSubject(read.subject);
    if (account === null) throw unauthorized('The access token is valid, but its subject has no account');
    return account;
  }

  async function session(token: string) {
    const at = now();
    const found = await accounts.findSession(hashSecret(token), at);
    if (found === null) throw unauthorized('The session has expired or does not exist');
    if (at.getTime() - found.session.seenAt.getTime() >= seenEveryMilliseconds)
      await accounts.touchSession(found.session.id, at).catch(() => undefined);
    return found;
  }

  return {
    async byKey(key) {
      if (key.startsWith(keyPrefix)) return open(await byKey(key));
      throw unauthorized(`Expected an API key, which begins with ${keyPrefix}`);
    },
    async byBearer(token, door = 'api') {
      if (token.startsWith(keyPrefix)) return open(await byKey(token));
      if (tokenForm.test(token)) return open(await byAccessToken(token, door));
      throw unauthorized(`This API key does not exist; those of this service begin with ${keyPrefix}`);
    },
    bySession: async (token) => open((await session(token)).account),
    async session(token) {
      const found = await session(token);
      open(found.account);
      return found;
    },
  };
}

/** The account, if it may be used. @throws EarshotError forbidden */
function open(account: Account): Account {
  const { blockedAt, blockedFor } = account;
  if (blockedAt === null) return account;
  throw new EarshotError(
    'forbidden',
    `The operator of this service has blocked this account${blockedFor === null ? '' : `: ${blockedFor}`}`,
    {
      details: {
        reason: 'blocked',
        blockedAt: blockedAt.toISOString(),
        ...(blockedFor === null ? {} : { blockedFor }),
      },
      nextAction: 'Ask the operator of this service.',
    },
  );
}

/** Of a JWT. Anything else is a key, such as one of another service. */
const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]*$/;

const unauthorized = (message: string): EarshotError => new EarshotError('unauthorized', message);

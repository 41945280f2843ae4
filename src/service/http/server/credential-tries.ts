import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../rules/config.ts';
import { callerOf } from './mount.ts';
import { addressKey, type RateLimiter, type RateState } from './rate-limit.ts';

/** What a request's credentials may still cost before they are known to be anybody's. */
export interface CredentialTries {
  /** Not allowed: nothing is looked up. */
  readonly state: RateState;
  /** They were good. */
  passed(): void;
  failed(): void;
}

/** Headers that say who somebody is. */
const credentialHeaders = ['authorization', 'x-api-key', 'cookie'] as const;

/**
 * Looking a key up costs the database a query, so it is refused before: to an address whose keys have been wrong as often
 * as an address may ask at all, unless this very key was right in the same minute, and to a key that has asked as often as
 * its account may.
 */
export function credentialTries(
  limiter: RateLimiter,
  request: FastifyRequest,
  { rateLimitAccount, rateLimitAddress }: Pick<Config, 'rateLimitAccount' | 'rateLimitAddress'>,
): CredentialTries {
  const credential = createHash('sha256');
  for (const name of credentialHeaders) credential.update(`${String(request.headers[name] ?? '')}\n`);
  const known = `credential:${credential.digest('base64url')}`;
  const wrong = `wrong:${addressKey(callerOf(request).ip)}`;
  const asked = limiter.peek(known, rateLimitAccount);
  const failures = limiter.peek(wrong, rateLimitAddress);
  const isKnown = asked.remaining < asked.quota;
  return {
    state: isKnown ? { ...asked, allowed: asked.remaining > 0 } : { ...failures, allowed: failures.remaining > 0 },
    passed: () => void limiter.take(known, rateLimitAccount),
    failed: () => void limiter.take(wrong, rateLimitAddress),
  };
}

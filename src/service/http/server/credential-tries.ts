import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../rules/settings/config.ts';
import { callerOf } from './mount.ts';
import { addressKey, type RateLimiter, type RateState } from './rate-limit.ts';

/** The rate limit of credential checks. */
export interface CredentialTries {
  /** If not allowed, the credentials must not be checked. */
  readonly state: RateState;
  /** The credentials were valid. */
  passed(): void;
  failed(): void;
}

/** Headers with credentials. */
const credentialHeaders = ['authorization', 'x-api-key', 'cookie'] as const;

/**
 * Checking a key costs a database query. It is refused to addresses with as many wrong keys as their rate limit allows
 * requests, unless this key was valid within the same minute, and to keys that have reached their account's rate limit.
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

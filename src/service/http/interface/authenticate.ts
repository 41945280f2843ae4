import type { FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { shownName } from '../../../library/core/checks/names.ts';
import { callerOf } from '../server/mount.ts';
import { bearerToken } from './bearer.ts';
import { sessionTokenOf } from './session-cookie.ts';
import type { Config } from '../../rules/settings/config.ts';
import type { Account } from '../../rules/accounts/account.ts';
import type { Authentication } from '../../rules/accounts/access.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The account of a request: Authorization: Bearer <API key or access token>, or the website's session cookie.
 * @throws EarshotError unauthorized; forbidden for a session used from another site
 */
export async function authenticate(
  request: FastifyRequest,
  access: Authentication,
  config: Pick<Config, 'baseUrl'>,
): Promise<Account> {
  const token = bearerToken(request);
  if (token !== null) return access.byBearer(token);
  const session = sessionTokenOf(request, config);
  if (session === undefined)
    throw new EarshotError(
      'unauthorized',
      'Expected Authorization: Bearer <API key> or a session but received neither',
    );
  if (!safeMethods.has(request.method)) requireSameOrigin(request, config);
  return access.bySession(session);
}

/** Does the request have a session cookie? Only our own pages may send it. */
export const hasSession = (request: FastifyRequest, config: Pick<Config, 'baseUrl'>): boolean =>
  sessionTokenOf(request, config) !== undefined &&
  (safeMethods.has(request.method) || request.headers['sec-fetch-site'] === 'same-origin');

/**
 * The account that is signed in on the website; null when there is none, its session has ended, or it is blocked. For
 * public pages, which everybody may read.
 */
export async function sessionOf(
  request: FastifyRequest,
  access: Authentication,
  config: Pick<Config, 'baseUrl'>,
): Promise<Account | null> {
  const session = sessionTokenOf(request, config);
  if (session === undefined) return null;
  try {
    return await access.bySession(session);
  } catch (thrown) {
    if (thrown instanceof EarshotError && (thrown.code === 'unauthorized' || thrown.details?.['reason'] === 'blocked'))
      return null;
    throw thrown;
  }
}

/**
 * CSRF protection: browsers also send cookies with requests of other sites, so requests that change something must come
 * from our own pages.
 */
export function requireSameOrigin(request: FastifyRequest, { baseUrl }: Pick<Config, 'baseUrl'>): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const { protocol, host } = callerOf(request);
  const expected = baseUrl === null ? `${protocol}://${host}` : new URL(baseUrl).origin;
  if (site === 'same-origin' || (site === undefined && origin !== undefined && origin === expected)) return;
  throw new EarshotError(
    'forbidden',
    `Expected a request from ${expected}, as required for sessions, but its origin is ` +
      (origin === undefined ? 'an unknown origin' : shownName(origin)),
    {
      nextAction: 'Use an API key, or send the request from the website itself.',
    },
  );
}

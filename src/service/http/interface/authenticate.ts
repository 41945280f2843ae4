import type { FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors.ts';
import { shownName } from '../../../library/core/names.ts';
import { callerOf } from '../server/mount.ts';
import { bearerToken } from './bearer.ts';
import { readCookie } from './cookies.ts';
import type { Account } from '../../rules/records.ts';
import type { Authentication } from '../../rules/service.ts';

/** Its name on the website, as the interface has it. */
const sessionCookie = '__Secure-svc.session_token';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The account of a request: Authorization: Bearer <API key or access token>, or the website's session cookie.
 * @param ownOrigin the origin of the public address; null: the one of the request
 * @throws EarshotError unauthorized; forbidden for a session used from another site
 */
export async function authenticate(
  request: FastifyRequest,
  access: Authentication,
  ownOrigin: string | null,
): Promise<Account> {
  const token = bearerToken(request);
  if (token !== null) return access.byBearer(token);
  const session = readCookie(request, sessionCookie);
  if (session === undefined)
    throw new EarshotError(
      'unauthorized',
      'Expected Authorization: Bearer <API key> or a session but received neither',
    );
  if (!safeMethods.has(request.method)) requireSameOrigin(request, ownOrigin);
  return access.bySession(session);
}

/**
 * The account that is signed in on the website; null: none, or its session has ended. For pages that anyone may read.
 */
export async function sessionOf(request: FastifyRequest, access: Authentication): Promise<Account | null> {
  const session = readCookie(request, sessionCookie);
  if (session === undefined) return null;
  try {
    return await access.bySession(session);
  } catch (thrown) {
    if (thrown instanceof EarshotError && thrown.code === 'unauthorized') return null;
    throw thrown;
  }
}

/**
 * CSRF protection: browsers also send cookies with requests of other sites, so requests that change something must come
 * from our own pages.
 */
function requireSameOrigin(request: FastifyRequest, ownOrigin: string | null): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const { protocol, host } = callerOf(request);
  const expected = ownOrigin ?? `${protocol}://${host}`;
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

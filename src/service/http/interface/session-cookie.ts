import type { FastifyRequest } from 'fastify';
import type { Config } from '../../rules/settings/config.ts';
import { callerOf } from '../server/mount.ts';
import { readCookie } from './cookies.ts';

/** The cookie's name in the interface. Browsers accept it over https only, and most also from this machine. */
export const sessionCookie = '__Secure-svc.session_token';

/** The same for browsers that reject secure cookies without https. Accepted only without https. */
export const plainSessionCookie = 'svc.session_token';

/** Does the service run without https? */
export function isPlainHttp(request: FastifyRequest, { baseUrl }: Pick<Config, 'baseUrl'>): boolean {
  return callerOf(request).protocol === 'http' && baseUrl?.startsWith('https:') !== true;
}

/** The session's secret; undefined when the request has none. */
export const sessionTokenOf = (request: FastifyRequest, config: Pick<Config, 'baseUrl'>): string | undefined =>
  readCookie(request, sessionCookie) ??
  (isPlainHttp(request, config) ? readCookie(request, plainSessionCookie) : undefined);

import type { FastifyRequest } from 'fastify';
import type { Config } from '../../rules/config.ts';
import { callerOf } from '../server/mount.ts';
import { readCookie } from './cookies.ts';

/** Its name on the website, as the interface has it. Browsers keep it only from https, and most from this machine. */
export const sessionCookie = '__Secure-svc.session_token';

/** The same for browsers that keep no secure cookie without https. Believed only there. */
export const plainSessionCookie = 'svc.session_token';

/** Is the service used without https? */
export function isPlainHttp(request: FastifyRequest, { baseUrl }: Pick<Config, 'baseUrl'>): boolean {
  return callerOf(request).protocol === 'http' && baseUrl?.startsWith('https:') !== true;
}

/** The session's secret; undefined: the request has none. */
export const sessionTokenOf = (request: FastifyRequest, config: Pick<Config, 'baseUrl'>): string | undefined =>
  readCookie(request, sessionCookie) ??
  (isPlainHttp(request, config) ? readCookie(request, plainSessionCookie) : undefined);

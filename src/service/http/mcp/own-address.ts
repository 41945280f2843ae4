import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';
import { EarshotError } from '../../../library/core/errors.ts';
import { shownName } from '../../../library/core/names.ts';
import type { Config } from '../../rules/config.ts';
import { callerOf } from '../server/mount.ts';

type Settings = Pick<Config, 'baseUrl' | 'host' | 'corsOrigins'>;

/** The service's address as in the request's Host header, or the public one; null without a Host header. */
export function addressOf(request: FastifyRequest, { baseUrl }: Settings, rootPath: string): URL | null {
  const { protocol, host } = callerOf(request);
  return URL.parse(baseUrl ?? `${protocol}://${host}${rootPath}`);
}

/**
 * Refuses requests that pages of other sites send through a user's browser. Such a page can point its own name at this
 * machine (DNS rebinding); its requests then have that name as Host and Origin.
 * @returns the address of the service, without a trailing slash
 * @throws EarshotError forbidden
 */
export function requireOwnAddress(request: FastifyRequest, settings: Settings, rootPath: string): string {
  const { host } = callerOf(request);
  const asked = URL.parse(`http://${host}`);
  const own = addressOf(request, settings, rootPath);
  if (asked === null || own === null || !isOwnName(asked.hostname, settings))
    throw new EarshotError('forbidden', `Expected the name of this service as Host but received ${shownName(host)}`, {
      nextAction: 'Set EARSHOT_BASE_URL to the public address of the service.',
    });
  const { origin } = request.headers;
  const allowed = settings.corsOrigins?.split(',') ?? [];
  if (origin !== undefined && origin !== own.origin && !allowed.includes('*') && !allowed.includes(origin))
    throw new EarshotError('forbidden', `Expected no request from pages of ${shownName(origin)}`, {
      nextAction: 'Allow the origin with EARSHOT_CORS_ORIGINS, or send the request without a browser.',
    });
  return own.href.replace(/\/$/, '');
}

/** An IP address cannot be rebound. */
const isOwnName = (name: string, { baseUrl, host }: Settings): boolean =>
  name === 'localhost' ||
  name === host.toLowerCase() ||
  isIP(name.replace(/^\[|\]$/g, '')) !== 0 ||
  (baseUrl !== null && name === new URL(baseUrl).hostname);

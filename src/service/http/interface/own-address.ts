import type { FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { shownName } from '../../../library/core/checks/names.ts';
import type { Config } from '../../rules/settings/config.ts';
import { isOwnName } from '../../rules/settings/own-names.ts';
import { callerOf } from '../server/mount.ts';

type Settings = Pick<Config, 'baseUrl' | 'host' | 'corsOrigins'>;

/** The service's address as in the request's Host header, or the public one; null without a Host header. */
export function addressOf(
  request: FastifyRequest,
  { baseUrl }: Pick<Settings, 'baseUrl'>,
  rootPath: string,
): URL | null {
  const { protocol, host } = callerOf(request);
  return URL.parse(baseUrl ?? `${protocol}://${host}${rootPath}`);
}

/**
 * Refuses requests for another name. A page of another site can point its own name at this machine (DNS rebinding);
 * its requests then have that name as Host.
 * @returns the address of the service, without a trailing slash
 * @throws EarshotError forbidden
 */
export function requireOwnHost(request: FastifyRequest, settings: Settings, rootPath: string): string {
  const { host } = callerOf(request);
  const asked = URL.parse(`http://${host}`);
  const own = addressOf(request, settings, rootPath);
  if (asked === null || own === null || !isOwnName(asked.hostname, settings))
    throw new EarshotError('forbidden', `Expected the name of this service as Host but received ${shownName(host)}`, {
      nextAction: 'Set EARSHOT_BASE_URL to the public address of the service.',
    });
  return own.href.replace(/\/$/, '');
}

/**
 * The same, and refuses requests that pages of other sites send through a user's browser.
 * @throws EarshotError forbidden
 */
export function requireOwnAddress(request: FastifyRequest, settings: Settings, rootPath: string): string {
  const own = requireOwnHost(request, settings, rootPath);
  const { origin } = request.headers;
  const allowed = settings.corsOrigins?.split(',') ?? [];
  if (origin !== undefined && origin !== new URL(own).origin && !allowed.includes('*') && !allowed.includes(origin))
    throw new EarshotError('forbidden', `Expected no request from pages of ${shownName(origin)}`, {
      nextAction: 'Allow the origin with EARSHOT_CORS_ORIGINS, or send the request without a browser.',
    });
  return own;
}

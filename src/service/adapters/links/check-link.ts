import { EarshotError } from '../../../library/core/errors/errors.ts';
import { isPublicAddress, literalAddress } from './public-address.ts';

/** Names that are never public (RFC 6761, RFC 6762, and those of cloud networks). */
const localNames = /(^|\.)(localhost|local|internal|intranet|home\.arpa|lan)$/;

/**
 * Why a URL is not a public HTTPS link; null if it may be one. Addresses of names are checked when they are resolved.
 */
export function objection(url: URL, ports: readonly number[]): string | null {
  if (url.protocol !== 'https:') return 'it is not https';
  if (url.username !== '' || url.password !== '') return 'it contains a user name or password';
  if (!ports.includes(url.port === '' ? 443 : Number(url.port)))
    return `port ${url.port} is not allowed; expected ${ports.join(' or ')}`;
  const host = hostOf(url);
  const literal = literalAddress(host);
  if (literal !== null) return isPublicAddress(literal) ? null : 'its host is not a public address';
  return host.includes('.') && !localNames.test(host) ? null : 'its host is not a public name';
}

/** Without a trailing dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/\.$/, '').toLowerCase();

/** @throws EarshotError bad_request */
export function parseLink(text: string, ports: readonly number[], field = 'url'): URL {
  const url = URL.parse(text);
  const reason = url === null ? 'it is not a URL' : objection(url, ports);
  if (url === null || reason !== null)
    throw new EarshotError('bad_request', `Expected a public HTTPS link for ${field}: ${reason}`, {
      details: { field, expected: 'public HTTPS link' },
    });
  url.hash = '';
  return url;
}

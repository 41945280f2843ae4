import { EarshotError } from '../../../library/core/errors.ts';
import { isPublicAddress, literalAddress } from './public-address.ts';

/** Names that never lead to the public Internet (RFC 6761, RFC 6762, and what cloud networks use). */
const localNames = /(^|\.)(localhost|local|internal|intranet|home\.arpa|lan)$/;

/**
 * Why an address is not a public HTTPS link, or null. Looks at the text alone; the addresses of names are judged when
 * they are resolved.
 */
export function objection(url: URL, ports: readonly number[]): string | null {
  if (url.protocol !== 'https:') return 'only https links are fetched';
  if (url.username !== '' || url.password !== '') return 'a link with a user name or password in it is not public';
  if (!ports.includes(url.port === '' ? 443 : Number(url.port)))
    return `port ${url.port} is not allowed; expected ${ports.join(' or ')}`;
  const host = hostOf(url);
  const literal = literalAddress(host);
  if (literal !== null) return isPublicAddress(literal) ? null : 'its host is not a public address';
  return host.includes('.') && !localNames.test(host) ? null : 'its host is not a public name';
}

/** Without the dot that may end a full name. */
export const hostOf = (url: URL): string => url.hostname.replace(/\.$/, '').toLowerCase();

/** @throws EarshotError bad_request */
export function parseLink(text: string, ports: readonly number[], field = 'url'): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const reason = url === null ? 'it is not a URL' : objection(url, ports);
  if (url === null || reason !== null)
    throw new EarshotError('bad_request', `Expected a public HTTPS link for ${field}: ${reason}`, {
      details: { field, expected: 'public HTTPS link' },
    });
  url.hash = '';
  return url;
}

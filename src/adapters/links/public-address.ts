import ipaddr from 'ipaddr.js';

/**
 * All that is routed on the public Internet in IPv6 lies here; outside are forms that carry an IPv4 address in disguise
 * (::127.0.0.1).
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Is this an address on the public Internet? Private, local, reserved, mapped and tunnelled ones are not, nor is what
 * is no address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast);
}

/**
 * The address that a URL's host spells out, or null when it is a name. URL has already brought decimal, octal and
 * hexadecimal forms to four parts.
 */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

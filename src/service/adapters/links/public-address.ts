import ipaddr from 'ipaddr.js';

/**
 * All that is routed on the public Internet in IPv6 lies here; outside are forms that carry an IPv4 address in disguise
 * (::127.0.0.1).
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Routed, but not to the Internet: hosts of clouds that know the machine's secrets. Others lie in private ranges. */
const metadataAddresses = ['168.63.129.16'];

/** ISATAP (RFC 5214, section 6.1): an IPv4 address, most often a private one, behind any IPv6 prefix. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => ((parts[4] ?? 0) & ~0x0200) === 0 && parts[5] === 0x5efe;

/**
 * Is this an address on the public Internet? Private, local, reserved, mapped and tunnelled ones are not, nor are
 * clouds' own, nor what is no address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || metadataAddresses.includes(address.toString())) return false;
  if (address.kind() === 'ipv4') return true;
  // Tunnels that carry an IPv4 address in their first half (6to4, Teredo, NAT64) are no unicast to the library.
  const wide = address as ipaddr.IPv6;
  return wide.match(globalUnicast) && !isIsatap(wide);
}

/**
 * The address that a URL's host spells out, or null when it is a name. URL has already brought decimal, octal and
 * hexadecimal forms to four parts.
 */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

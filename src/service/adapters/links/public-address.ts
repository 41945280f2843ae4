import ipaddr from 'ipaddr.js';

/**
 * All public IPv6 addresses; outside of it are forms that embed an IPv4 address (::127.0.0.1).
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Metadata servers of clouds outside the private ranges. */
const metadataAddresses = ['168.63.129.16'];

/** ISATAP (RFC 5214, section 6.1): embeds an IPv4 address, mostly a private one, behind any IPv6 prefix. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => ((parts[4] ?? 0) & ~0x0200) === 0 && parts[5] === 0x5efe;

/**
 * Is this a public address? False for private, local, reserved, mapped and tunnelled addresses, for metadata servers,
 * and for texts that are not addresses.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || metadataAddresses.includes(address.toString())) return false;
  if (address.kind() === 'ipv4') return true;
  // 6to4, Teredo and NAT64, which embed an IPv4 address, are not 'unicast' in ipaddr.js.
  const wide = address as ipaddr.IPv6;
  return wide.match(globalUnicast) && !isIsatap(wide);
}

/**
 * The IP address of a URL's host; null when the host is a name. URL has already normalised decimal, octal and
 * hexadecimal forms.
 */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

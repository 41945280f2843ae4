import { BlockList, isIP } from 'node:net';
import type { Config } from '../../rules/settings/config.ts';

/**
 * Fastify's trustProxy: whether to trust the X-Forwarded-For of an address. With configured networks, all addresses in
 * them; otherwise only the nearest proxy, because a client may have written earlier entries.
 */
export function proxyTrust({
  trustProxy,
  trustedProxies,
}: Pick<Config, 'trustProxy' | 'trustedProxies'>): false | ((address: string, hop: number) => boolean) {
  if (trustedProxies === null) return trustProxy ? (_address, hop) => hop === 0 : false;
  const trusted = new BlockList();
  for (const entry of trustedProxies.split(',')) {
    const [address = '', prefix] = entry.split('/');
    const family = familyOf(address);
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && trusted.check(address, familyOf(address));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

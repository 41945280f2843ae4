import { BlockList, isIP } from 'node:net';
import type { Config } from '../../rules/config.ts';

/**
 * Whose word counts for X-Forwarded-For, as Fastify asks: by the address that said it and how far from us it stands.
 * With configured networks every address in them; without, one proxy: what it adds is true, what stood there before it
 * anyone can have written.
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

import { createHmac, randomBytes } from 'node:crypto';

/** Small values shared by all processes. */
export interface Settings {
  /** The value of the name; created once by `make`, also under concurrent calls. */
  getOrCreate(name: string, make: () => string): Promise<string>;
}

/** Pseudonyms of addresses: free uses are counted by them, and the address cannot be read from them. */
export interface Visitors {
  /** @param address an IPv4 address, or the /64 prefix of an IPv6 address */
  subjectOf(address: string): string;
}

/** The secret is created once and shared by all processes of the service. */
export async function createVisitors(settings: Settings): Promise<Visitors> {
  const secret = await settings.getOrCreate('visitor_secret', () => randomBytes(32).toString('base64url'));
  return {
    subjectOf: (address) => `visitor_${createHmac('sha256', secret).update(address).digest('hex').slice(0, 40)}`,
  };
}

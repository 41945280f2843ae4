import { createHmac, randomBytes } from 'node:crypto';
import type { Settings } from '../ports.ts';

/** Makes of an address what is remembered of it: free uses count by it, and nobody can read the address from it. */
export interface Visitors {
  /** @param address as uses are counted: an IPv4 address, or the first half of an IPv6 one */
  subjectOf(address: string): string;
}

/** The secret is made once and shared by all processes of the service. */
export async function createVisitors(settings: Settings): Promise<Visitors> {
  const secret = await settings.getOrCreate('visitor_secret', () => randomBytes(32).toString('base64url'));
  return {
    subjectOf: (address) => `visitor_${createHmac('sha256', secret).update(address).digest('hex').slice(0, 40)}`,
  };
}

import { isIP } from 'node:net';
import type { Config } from './config.ts';

/** Is it a host name of this service? An IP address is: it cannot be rebound to another machine. */
export const isOwnName = (name: string, { baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>): boolean =>
  name === 'localhost' ||
  name === host.toLowerCase() ||
  isIP(name.replace(/^\[|\]$/g, '')) !== 0 ||
  (baseUrl !== null && name === new URL(baseUrl).hostname);

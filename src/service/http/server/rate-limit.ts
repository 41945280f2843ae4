import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { EarshotError } from '../../../library/core/errors.ts';

/** One policy: so many requests in a window that begins with the first of them. */
export const windowSeconds = 60;

export interface RateState {
  /** Does this request fit? */
  readonly allowed: boolean;
  readonly quota: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Counts requests by key (an account, an address) in windows of a minute. */
export interface RateLimiter {
  /** Counts one request of `key`. */
  take(key: string, quota: number): RateState;
  /** The same without counting. */
  peek(key: string, quota: number): RateState;
}

/**
 * Fixed windows in memory, by key. Every window is equally long, so the map's order is the order in which windows end,
 * and forgetting from its front keeps it small. Each API process counts for itself.
 * @param now seconds, monotone
 * @param maxKeys bound of the memory: past it the oldest windows are forgotten early
 */
export function createRateLimiter(now: () => number = () => performance.now() / 1000, maxKeys = 100_000): RateLimiter {
  const windows = new Map<string, { count: number; readonly endsAt: number }>();

  function current(key: string, at: number): { count: number; readonly endsAt: number } | undefined {
    const window = windows.get(key);
    return window !== undefined && window.endsAt > at ? window : undefined;
  }

  function forgetOld(at: number): void {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > at && windows.size < maxKeys) return;
      windows.delete(key);
    }
  }

  const describe = (quota: number, count: number, endsAt: number, at: number): RateState => ({
    allowed: count <= quota,
    quota,
    remaining: Math.max(0, quota - count),
    resetSeconds: Math.max(1, Math.ceil(endsAt - at)),
  });

  return {
    take(key, quota) {
      const at = now();
      let window = current(key, at);
      if (window === undefined) {
        forgetOld(at);
        window = { count: 0, endsAt: at + windowSeconds };
        windows.delete(key);
        windows.set(key, window);
      }
      window.count++;
      return describe(quota, window.count, window.endsAt, at);
    },
    peek(key, quota) {
      const at = now();
      const window = current(key, at);
      return describe(quota, window?.count ?? 0, window?.endsAt ?? at + windowSeconds, at);
    },
  };
}

/** "RateLimit header fields for HTTP", IETF draft: structured fields with one policy named "default". */
export function rateLimitHeaders({ quota, remaining, resetSeconds }: RateState): {
  'ratelimit-policy': string;
  ratelimit: string;
} {
  return {
    'ratelimit-policy': `"default";q=${quota};w=${windowSeconds}`,
    ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
  };
}

/** What a request gets that does not fit. */
export const rateLimited = ({ quota, resetSeconds }: RateState): EarshotError =>
  new EarshotError(
    'rate_limited',
    `Expected at most ${quota} requests a minute; the next one is welcome in ${resetSeconds} s`,
    { details: { retryAfterSeconds: resetSeconds } },
  );

/**
 * Whom an address stands for. Whoever has one IPv6 address has its whole /64, so that is counted as one. Some proxies
 * write a port beside the address, and what is no address at all is one and the same for everybody: nothing that a
 * client may choose makes another visitor of it.
 */
export function addressKey(given: string): string {
  const address = withoutPort(given.trim());
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return '';
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : (parsed as ipaddr.IPv6).parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':');
}

/** "203.0.113.7:4711" and "[2001:db8::1]:4711" as proxies write them; a zone ("%eth0") names no host either. */
function withoutPort(address: string): string {
  const host = /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address;
  return host.split('%', 1)[0] ?? '';
}

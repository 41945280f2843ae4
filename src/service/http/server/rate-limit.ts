import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { EarshotError } from '../../../library/core/errors/errors.ts';

/** Length of a window, which begins with its first request. */
export const windowSeconds = 60;

export interface RateState {
  /** Is this request within the limit? */
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
  /** Requests by key since the last call, for other processes that share the limits. */
  unshared(): ReadonlyMap<string, number>;
  /** The count of all processes together, and when its window ends. */
  learn(key: string, count: number, secondsLeft: number): void;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

/**
 * Fixed windows in memory, by key. All windows have the same length, so the map is ordered by their ends, and expired
 * ones are removed from its front. APIs on one database tell each other their counts every second (shared-rates.ts).
 * @param now monotonic seconds
 * @param maxKeys above it, the oldest windows are removed early, to limit the memory
 */
export function createRateLimiter(now: () => number = () => performance.now() / 1000, maxKeys = 100_000): RateLimiter {
  const windows = new Map<string, Window>();
  let fresh = new Map<string, number>();

  function current(key: string, at: number): Window | undefined {
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
    // The sum of two times may be a bit more than it should be.
    resetSeconds: Math.min(windowSeconds, Math.max(1, Math.ceil(endsAt - at))),
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
      if (fresh.size < maxKeys) fresh.set(key, (fresh.get(key) ?? 0) + 1);
      return describe(quota, window.count, window.endsAt, at);
    },
    peek(key, quota) {
      const at = now();
      const window = current(key, at);
      return describe(quota, window?.count ?? 0, window?.endsAt ?? at + windowSeconds, at);
    },
    unshared() {
      const told = fresh;
      fresh = new Map();
      return told;
    },
    learn(key, count, secondsLeft) {
      const at = now();
      // Requests since then are not yet in the total.
      const window = { count: count + (fresh.get(key) ?? 0), endsAt: at + Math.min(windowSeconds, secondsLeft) };
      windows.delete(key);
      windows.set(key, window);
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

/** The error of a request above the limit. */
export const rateLimited = ({ quota, resetSeconds }: RateState): EarshotError =>
  new EarshotError('rate_limited', `Expected at most ${quota} requests a minute; try again in ${resetSeconds} s`, {
    details: { retryAfterSeconds: resetSeconds },
  });

/**
 * The rate-limit key of an address. An IPv6 /64 counts as one client. Ports, which some proxies append, are removed,
 * and all invalid addresses share one key, so that clients cannot choose their key.
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

/** "203.0.113.7:4711" and "[2001:db8::1]:4711" from proxies; also removes a zone ("%eth0"). */
function withoutPort(address: string): string {
  const host = /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address;
  return host.split('%', 1)[0] ?? '';
}

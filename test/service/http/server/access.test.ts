import { describe, expect, it, vi } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { addressKey, createRateLimiter } from '../../../../src/service/http/server/rate-limit.ts';
import { key, session, useApps, useSharedApp } from '../support.ts';

const start = useApps();
const shared = useSharedApp();
const cookie = `theme=dark; __Secure-svc.session_token=${session}`;

describe('credentials', () => {
  it.each([
    ['none', {}, 'Bearer'],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, 'Bearer error="invalid_token"'],
    ['no token', { authorization: 'Bearer ' }, 'Bearer error="invalid_token"'],
    ['a wrong key', { authorization: 'Bearer svc_sk_wrong' }, 'Bearer error="invalid_token"'],
    ['a wrong session', { cookie: '__Secure-svc.session_token=wrong' }, 'Bearer'],
    ['another cookie', { cookie: `session_token=${session}` }, 'Bearer'],
    [
      'a wrong key beside a good session',
      { authorization: 'Bearer svc_sk_wrong', cookie },
      'Bearer error="invalid_token"',
    ],
  ])('%s: unauthorized', async (_what, headers, challenge) => {
    const { base } = await shared();
    const response = await fetch(`${base}/api/v1/account`, { headers });
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      401,
      'unauthorized',
    ]);
    expect(response.headers.get('www-authenticate')).toBe(challenge);
    expect(response.headers.get('ratelimit')).not.toBeNull();
  });

  it('takes the scheme in any case, and a session for reading', async () => {
    const { call } = await shared();
    expect((await call('GET', '/api/v1/account', { headers: { authorization: `bearer  ${key}` } })).status).toBe(200);
    const { base } = await shared();
    expect((await fetch(`${base}/api/v1/account`, { headers: { cookie } })).status).toBe(200);
  });

  it('takes a session for changes only from our own pages', async () => {
    const { base } = await shared();
    const change = async (headers: Record<string, string>, to = base): Promise<number> =>
      (
        await fetch(`${to}/api/v1/files`, {
          method: 'POST',
          headers: { cookie, 'content-type': 'application/json', ...headers },
          body: '{}',
        })
      ).status;
    expect(await change({})).toBe(403);
    expect(await change({ origin: 'https://evil.example' })).toBe(403);
    expect(await change({ origin: 'null' })).toBe(403);
    expect(await change({ 'sec-fetch-site': 'cross-site', origin: base })).toBe(403);
    expect(await change({ 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await change({ origin: base })).toBe(201);
    expect(await change({ 'sec-fetch-site': 'same-origin' })).toBe(201);
    const behindProxy = await start({}, { config: { baseUrl: 'https://audio.example.org' } });
    expect(await change({ origin: 'https://audio.example.org' }, behindProxy.base)).toBe(201);
    expect(await change({ origin: behindProxy.base }, behindProxy.base)).toBe(403);
  });

  it('passes on what the service says of a token', async () => {
    const { call } = await start({
      access: { byBearer: async () => Promise.reject(new EarshotError('forbidden', 'The token lacks a right')) },
    });
    const { status, json } = await call('GET', '/api/v1/account');
    expect([status, json.error.message]).toEqual([403, 'The token lacks a right']);
  });
});

describe('rate limit', () => {
  it('is on every kind of answer, in the syntax of the draft', async () => {
    const { base, call } = await start({}, { checks: { broken: async () => Promise.reject(new Error('no')) } });
    const kinds: [string, string, number][] = [
      ['GET', '/api/v1/tools', 200],
      ['HEAD', '/api/v1/tools', 200],
      ['POST', '/api/v1/files', 201],
      ['DELETE', '/api/v1/files/file_1', 204],
      ['GET', '/nowhere', 404],
      ['PATCH', '/api/v1/files', 405],
      ['GET', '/api/v1/files?limit=0', 400],
      ['GET', '/%zz', 400],
      ['GET', '/livez', 200],
      ['GET', '/readyz', 503],
      ['GET', '/metrics', 200],
      ['GET', '/api/openapi.json', 200],
      ['GET', '/upload/tok', 200],
      ['PUT', '/upload/tok/file', 200],
      ['PUT', '/upload/tok/parts/1', 200],
      ['POST', '/upload/tok/complete', 200],
      ['GET', '/f/tok/a.wav', 404],
      ['HEAD', '/f/tok/a.wav', 404],
      ['OPTIONS', '/api/v1/files', 405],
    ];
    for (const [method, path, status] of kinds)
      expect([method, path, (await call(method, path)).status]).toEqual([method, path, status]);
    const anonymous = await fetch(`${base}/api/v1/account`);
    expect([anonymous.status, anonymous.headers.get('ratelimit-policy')]).toEqual([401, '"default";q=120;w=60']);
  });

  it('counts an account and an address apart, and answers 429 past either', async () => {
    const view = vi.fn<() => Promise<never>>();
    const { base, call } = await start(
      { accounts: { view } },
      { config: { rateLimitAccount: '3', rateLimitAddress: '2' } },
    );
    for (const left of [2, 1, 0])
      expect((await call('GET', '/api/v1/auto-refill')).headers.get('ratelimit')).toMatch(
        new RegExp(`^"default";r=${left};t=(60|59)$`),
      );
    const over = await call('GET', '/api/v1/account');
    expect([over.status, over.json.error.code, over.headers.get('ratelimit-policy')]).toEqual([
      429,
      'rate_limited',
      '"default";q=3;w=60',
    ]);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(view).not.toHaveBeenCalled();

    expect((await call('GET', '/api/v1/tools')).status).toBe(200);
    expect((await fetch(`${base}/api/v1/account`, { headers: { authorization: 'Bearer svc_sk_wrong' } })).status).toBe(
      401,
    );
    expect((await call('GET', '/api/v1/tools')).status).toBe(429);
    expect((await fetch(`${base}/api/v1/account`, { headers: { authorization: 'Bearer svc_sk_wrong' } })).status).toBe(
      429,
    );
    expect((await fetch(`${base}/livez`)).status).toBe(200);
    expect((await call('PUT', '/upload/tok/parts/1')).status).toBe(200);
  });

  it('believes X-Forwarded-For only where a proxy is trusted', async () => {
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const plain = await start({}, { config: { rateLimitAddress: '1' } });
    expect((await plain.call('GET', '/api/v1/tools', from('203.0.113.1'))).status).toBe(200);
    expect((await plain.call('GET', '/api/v1/tools', from('203.0.113.2'))).status).toBe(429);
    const proxied = await start({}, { config: { rateLimitAddress: '1', trustProxy: 'true' } });
    expect((await proxied.call('GET', '/api/v1/tools', from('203.0.113.1'))).status).toBe(200);
    expect((await proxied.call('GET', '/api/v1/tools', from('203.0.113.2'))).status).toBe(200);
    expect((await proxied.call('GET', '/api/v1/tools', from('203.0.113.2'))).status).toBe(429);
    // What the client wrote itself comes before what the proxy added.
    expect((await proxied.call('GET', '/api/v1/tools', from('198.51.100.7, 203.0.113.2'))).status).toBe(429);
  });

  it('begins a new window when one is over', () => {
    let at = 1000;
    const limiter = createRateLimiter(() => at);
    expect(limiter.peek('a', 2)).toEqual({ allowed: true, quota: 2, remaining: 2, resetSeconds: 60 });
    limiter.take('a', 2);
    at += 30.5;
    expect(limiter.take('a', 2)).toEqual({ allowed: true, quota: 2, remaining: 0, resetSeconds: 30 });
    expect(limiter.take('a', 2).allowed).toBe(false);
    expect(limiter.take('b', 2).remaining).toBe(1);
    at += 29.5;
    expect(limiter.take('a', 2)).toEqual({ allowed: true, quota: 2, remaining: 1, resetSeconds: 60 });
  });

  it('never says more than its window, whatever sums of times are rounded to', () => {
    // Here (at + 60) - at is more than 60.
    const limiter = createRateLimiter(() => 98.389_408_357_747_57);
    expect(limiter.take('a', 2).resetSeconds).toBe(60);
    expect(limiter.peek('a', 2).resetSeconds).toBe(60);
  });

  it('remembers a bounded number of callers, and forgets the oldest first', () => {
    let at = 0;
    const limiter = createRateLimiter(() => at, 3);
    for (const caller of ['a', 'b', 'c']) limiter.take(caller, 10);
    limiter.take('d', 10);
    expect(['a', 'b', 'c', 'd'].map((caller) => limiter.peek(caller, 10).remaining)).toEqual([10, 9, 9, 9]);
    at = 61;
    limiter.take('e', 10);
    expect(['b', 'c', 'd', 'e'].map((caller) => limiter.peek(caller, 10).remaining)).toEqual([10, 10, 10, 9]);
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8:1:2::1]:4711', '2001:db8:1:2'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['whatever somebody likes', ''],
    ['', ''],
  ])('counts %s as %s', (address, expected) => {
    expect(addressKey(address)).toBe(expected);
  });
});

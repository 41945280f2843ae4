// A dialect of its own beside the interface, with other errors and other credentials: an older API as people have them.
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { createApp } from '../../../../src/service/http/server/app.ts';
import { accountOf } from '../../../../src/service/http/server/context.ts';
import type { Dialect } from '../../../../src/service/http/server/dialect.ts';
import { loadConfig } from '../../../../src/service/rules/settings/config.ts';
import { pino } from 'pino';
import { account, key, useApps } from '../support.ts';

const start = useApps();

/** Errors are {"detail": text}, credentials are in X-Key, and what is not there is 410. */
const older: Dialect = {
  name: 'older',
  prefixes: ['/older'],
  pathHelp: 'See the old handbook.',
  schemas: [{ $id: 'Error', type: 'object', properties: { detail: { type: 'string' } } }],
  errorAnswer: ({ code, message }) => ({
    status: { not_found: 410, unauthorized: 403, rate_limited: 420, internal_error: 500 }[code as string] ?? 400,
    headers: { 'x-old-code': code },
    body: { detail: message },
  }),
  authenticate: async ({ headers }) => {
    if (headers['x-key'] !== 'old key') throw new EarshotError('unauthorized', 'Send X-Key');
    return { ...account, id: 'acc_old' };
  },
  routes(scope) {
    scope.get('/older/who', { config: { access: 'account' } }, (request) => ({ who: accountOf(request).id }));
    scope.get('/older/broken', () => {
      throw new TypeError('its secret reason');
    });
    scope.post(
      '/older/echo',
      {
        bodyLimit: 100,
        schema: {
          body: {
            type: 'object',
            additionalProperties: false,
            required: ['word'],
            properties: { word: { type: 'string' } },
          },
        },
      },
      (request) => request.body,
    );
  },
};

type Ask = (
  path: string,
  options?: { method?: string; headers?: Record<string, string>; body?: string },
) => Promise<{ status: number; headers: Headers; json: { detail?: string; error?: { code: string } } }>;

async function startBoth(config: Record<string, string> = {}): Promise<{ ask: Ask; base: string; logged(): string }> {
  const { base, logged } = await start({}, { beside: [older], config });
  const ask: Ask = async (path, { method = 'GET', headers = {}, body } = {}) => {
    const response = await fetch(base + path, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) };
  };
  return { ask, base, logged };
}

const json = { 'content-type': 'application/json' };

describe('a dialect beside the interface', () => {
  it('knows its own credentials, and neither takes those of the other', async () => {
    const { ask } = await startBoth();
    const [old, bearer] = [{ 'x-key': 'old key' }, { authorization: `Bearer ${key}` }];
    expect((await ask('/older/who', { headers: old })).json).toEqual({ who: 'acc_old' });
    expect((await ask('/api/v1/account', { headers: bearer })).status).toBe(200);

    const refused = await ask('/older/who', { headers: bearer });
    expect([refused.status, refused.json]).toEqual([403, { detail: 'Send X-Key' }]);
    expect(refused.headers.get('www-authenticate')).toBeNull();
    const other = await ask('/api/v1/account', { headers: old });
    expect([other.status, other.json.error?.code, other.headers.get('www-authenticate')]).toEqual([
      401,
      'unauthorized',
      'Bearer',
    ]);
  });

  it.each([
    ['an unknown path', '/older/nothing', {}, 410, /^There is no path \/older\/nothing$/],
    ['its prefix alone', '/older', {}, 410, /There is no path/],
    ['a path whose letters are encoded', '/%6flder/nothing', {}, 410, /There is no path/],
    ['a wrong method', '/older/echo', { method: 'DELETE' }, 405, /no DELETE/],
    ['a body that is no JSON', '/older/echo', { method: 'POST', headers: json, body: '{' }, 400, /not JSON/],
    [
      'a body of another type',
      '/older/echo',
      { method: 'POST', headers: { 'content-type': 'text/x' }, body: 'x' },
      400,
      /application\/json/,
    ],
    [
      'a body that is too large',
      '/older/echo',
      { method: 'POST', headers: json, body: `{"word":"${'x'.repeat(200)}"}` },
      400,
      /too large/,
    ],
    [
      'a field that is not there',
      '/older/echo',
      { method: 'POST', headers: json, body: '{"wort":"x"}' },
      400,
      /wort.*did you mean word/,
    ],
    ['a path that is no URL', '/older/%zz', {}, 400, /not a valid URL path/],
    ['a failure of ours', '/older/broken', {}, 500, /Internal error; the request was valid/],
  ] as const)('answers %s with its own error', async (_what, path, request, status, detail) => {
    const { ask, logged } = await startBoth();
    const answer = await ask(path, request);
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.json)).toEqual(['detail']);
    expect(answer.json.detail).toMatch(detail);
    expect(answer.json.detail).not.toContain('secret');
    expect(answer.headers.get('x-old-code')).toMatch(/^\w+$/);
    // What is HTTP and not interface is the same for all.
    expect(answer.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(logged()).toContain(`"status":${status}`);
  });

  it('answers past the rate limit with its own error, and with Retry-After', async () => {
    const { ask } = await startBoth({ rateLimitAddress: '1' });
    await ask('/older/echo', { method: 'POST', headers: json, body: '{"word":"x"}' });
    const old = await ask('/older/echo', { method: 'POST', headers: json, body: '{"word":"x"}' });
    expect([old.status, Object.keys(old.json)]).toEqual([420, ['detail']]);
    expect(Number(old.headers.get('retry-after'))).toBeGreaterThan(0);
    const v1 = await ask('/api/v1/tools');
    expect([v1.status, v1.json.error?.code]).toEqual([429, 'rate_limited']);
  });

  it('changes nothing of the interface: not its errors, not its document, not what is outside of both', async () => {
    const { ask } = await startBoth();
    for (const path of ['/api/v1/nothing', '/olderly', '/nothing', '/api/v1/%zz'])
      expect([path, Object.keys((await ask(path)).json)]).toEqual([path, ['error']]);
    const document = JSON.stringify((await ask('/api/openapi.json')).json);
    expect(document).not.toContain('older');
    expect(document).toContain('nextAction');
  });

  it('speaks alone, too, and then for what never became a request', async () => {
    const app = await createApp({ dialects: [older], config: loadConfig({}), log: pino({ level: 'silent' }) });
    await app.listen({ port: 0, host: '127.0.0.1' });
    try {
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1', () =>
          socket.end('nonsense\r\n\r\n'),
        );
        let text = '';
        socket
          .on('data', (data) => (text += String(data)))
          .on('close', () => resolve(text))
          .on('error', reject);
      });
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nx-old-code: bad_request\r\n/);
      expect(answer).toContain('{"detail":"Expected an HTTP request but received something else"}');
      const away = await app.inject('/api/v1/tools');
      expect([away.statusCode, away.json()]).toEqual([410, { detail: 'There is no path /api/v1/tools' }]);
    } finally {
      await app.close();
    }
  });
});

describe('a dialect that cannot be', () => {
  const { authenticate: _none, ...anonymous } = older;
  it.each([
    ['claims a prefix of another', { ...older, prefixes: ['/upload'] }, /both claim \/upload/],
    ['has a route outside of its prefixes', { ...older, prefixes: ['/old'] }, /under none of its prefixes/],
    ['needs accounts and authenticates no one', anonymous, /has no authenticate/],
  ])('%s: nothing starts', async (_what, wrong, reason) => {
    await expect(start({}, { beside: [wrong] })).rejects.toThrow(reason);
  });
});

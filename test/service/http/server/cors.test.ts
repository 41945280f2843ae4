// Pages of other origins: nothing by default, what the operator names, refusals and failures among it.
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/service/rules/settings/config.ts';
import { key, useApps } from '../support.ts';

const start = useApps();
const app = 'https://app.example.org';

const preflight = (base: string, path: string, origin = app): Promise<Response> =>
  fetch(base + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });
const allowed = ({ headers }: Response): string | null => headers.get('access-control-allow-origin');

describe('other origins', () => {
  it('read nothing by default', async () => {
    const { base } = await start();
    const answer = await fetch(`${base}/api/v1/tools`, { headers: { origin: app } });
    expect([answer.status, allowed(answer)]).toEqual([200, null]);
    expect(allowed(await preflight(base, '/api/v1/jobs'))).toBeNull();
  });

  it('read what the operator lets them, refusals too, and ask before they send', async () => {
    const { base, logged } = await start(
      {},
      { config: { corsOrigins: `${app}, http://localhost:5173`, rateLimitAddress: '6' } },
    );
    const asked = await preflight(base, '/api/v1/jobs');
    expect([asked.status, allowed(asked)]).toEqual([204, app]);
    expect(asked.headers.get('access-control-allow-headers')).toMatch(/authorization.*idempotency-key/);
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    expect(asked.headers.get('access-control-max-age')).toBe('600');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    expect(asked.headers.get('ratelimit')).toMatch(/"default";r=5/);
    expect(logged()).toContain('"method":"OPTIONS"');

    for (const [path, headers, status] of [
      ['/api/v1/tools', {}, 200],
      ['/api/v1/account', { authorization: `Bearer ${key}` }, 200],
      ['/api/v1/account', {}, 401],
      ['/api/v1/nothing', {}, 404],
      ['/api/try/jobs/job_1?t=x', {}, 404],
    ] as [string, Record<string, string>, number][]) {
      const answer = await fetch(base + path, { headers: { ...headers, origin: app } });
      expect([answer.status, allowed(answer), path]).toEqual([status, app, path]);
      expect(answer.headers.get('vary')).toMatch(/origin/i);
      for (const header of ['RateLimit', 'Retry-After', 'Svc-Finish-Url', 'Location', 'Content-Disposition'])
        expect(answer.headers.get('access-control-expose-headers')).toContain(header);
    }
    // Also when too many have come.
    for (let times = 0; times < 6; times += 1) await fetch(`${base}/api/v1/tools`);
    const over = await fetch(`${base}/api/v1/tools`, { headers: { origin: app } });
    expect([over.status, allowed(over)]).toEqual([429, app]);
  });

  it('that are not named read nothing, and neither do those that only look alike', async () => {
    const { base } = await start({}, { config: { corsOrigins: app } });
    for (const origin of [
      'https://evil.example.org',
      `${app}.evil.com`,
      'http://app.example.org',
      'null',
      `${app}:8443`,
    ]) {
      const answer = await fetch(`${base}/api/v1/tools`, { headers: { origin } });
      expect([answer.status, allowed(answer) === origin || allowed(answer) === '*']).toEqual([200, false]);
      const asked = allowed(await preflight(base, '/api/v1/jobs', origin));
      expect(asked === origin || asked === '*').toBe(false);
    }
    // Without an origin it is no browser's.
    expect((await fetch(`${base}/api/v1/tools`)).status).toBe(200);
  });

  it('may be all', async () => {
    const { base } = await start({}, { config: { corsOrigins: '*' } });
    expect(allowed(await fetch(`${base}/api/v1/tools`, { headers: { origin: 'https://any.example' } }))).toBe('*');
  });

  it('are origins, nothing else', () => {
    const read = (corsOrigins: string): string | null => loadConfig({}, { corsOrigins }).corsOrigins;
    expect(read('https://a.example/ , http://localhost:5173')).toBe('https://a.example,http://localhost:5173');
    expect(read('*')).toBe('*');
    for (const wrong of [
      'a.example',
      'https://a.example/path',
      'https://*.example',
      'https://a.example,',
      'ftp://a',
      '*,https://a',
    ])
      expect(() => read(wrong), wrong).toThrow(/EARSHOT_CORS_ORIGINS/);
  });
});

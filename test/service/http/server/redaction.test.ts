// Credentials in the log: every route is asked with a secret in each of its parameters.
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../../../src/service/http/dialects.ts';
import { createApp } from '../../../../src/service/http/server/app.ts';
import { createRedaction } from '../../../../src/service/http/server/redaction.ts';
import { loadConfig } from '../../../../src/service/rules/settings/config.ts';
import type { Programs } from '../../../../src/service/rules/sign-in/program-use-cases.ts';
import { offeredTools } from '../../../../src/service/offers/offers.ts';
import { fakeService } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

/** Parameters that open nothing. A new one is a credential until somebody has decided otherwise. */
const open = new Set(['event', 'id', 'file', 'filename', 'kind', 'model', 'n', 'name', 'output', 'part', 'slug']);

/** The lines of the tree that Fastify prints, as methods and whole paths. */
function routesOf(tree: string): { readonly path: string; readonly methods: readonly string[] }[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', segment = '', methods = ''] = /^((?:│ {3}| {4})*)[├└]── (\S+) \(([^)]+)\)$/.exec(line) ?? [];
    if (segment === '') return [];
    const depth = indent.length / 4;
    const path = (parents[depth - 1] ?? '') + segment;
    parents.splice(depth, parents.length, path);
    return [{ path, methods: methods.split(', ') }];
  });
}

async function loggingApp() {
  let lines = '';
  const service = { ...fakeService(), programs: {} as Programs };
  const config = loadConfig({}, { rateLimitAddress: '100000', rateLimitAccount: '100000' });
  const app = await createApp({
    dialects: dialects({ service, config, tools: offeredTools }),
    config,
    log: pino({ level: 'debug' }, { write: (line: string) => void (lines += line) }),
  });
  return { app, logged: () => lines };
}

describe('the log', () => {
  it(
    'has no credential of any route, in its path or its query, nor where it is the address to go on to',
    slow,
    async () => {
      const { app, logged } = await loggingApp();
      const routes = routesOf(app.printRoutes({ commonPrefix: false }));
      expect(routes.length).toBeGreaterThan(80);
      const secret = 'tHeSeCrEt0123456789abcdefg';
      let asked = 0;
      for (const { path, methods } of routes) {
        const closed = [...path.matchAll(/:(\w+)/g)].filter(([, name = '']) => !open.has(name));
        const isRun = path.includes('/:id') && /runs|try/.test(path);
        if (closed.length === 0 && !isRun) continue;
        const url = path.replace(/:(\w+)/g, (_, name: string) => (open.has(name) ? '1' : secret));
        const link = isRun ? `${url}?t=${secret}` : url;
        for (const method of methods) {
          await app.inject({ method: method as 'GET', url: link });
          asked += 1;
        }
        await app.inject({ url: `/sign-in?next=${encodeURIComponent(link)}` });
        await app.inject({ url: `/choose?back=${link}` });
        app.log.error({ err: new Error(`could not read https://audio.example.org/under${link}`) }, 'failed');
      }
      await app.close();
      expect(asked).toBeGreaterThan(30);
      const shown = logged()
        .split('\n')
        .filter((line) => line.includes(secret));
      expect(shown).toEqual([]);
      for (const path of ['/sign-in/', '/account/address/', '/connect/', '/upload/', '/runs/1?t='])
        expect(logged()).toContain(`${path}[redacted]`);
    },
  );

  const redaction = createRedaction('/audio');
  for (const url of ['/upload/:token', '/sign-in/:token', '/finish/:token', '/f/:token/:filename'])
    redaction.add({ url });
  redaction.add({ url: '/connect/:question', config: { secret: ['question'] } });

  it.each([
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
    ['see /api/v1/files/file_1/upload', 'see /api/v1/files/file_1/upload'],
    ['https://a/upload/tok/parts/{n}', 'https://a/upload/[redacted]/parts/{n}'],
    ['https://a/finish/tok?x=1', 'https://a/finish/[redacted]?x=1'],
    ['/audio/connect/tok', '/audio/connect/[redacted]'],
    ['/x?next=%2Fconnect%2Ftok%3Fa&b', '/x?next=%2Fconnect%2F[redacted]%3Fa&b'],
    ['/f/a%2Fb/name', '/f/[redacted]/name'],
    ['the runner svc_rt_abc and the key svc_sk_abc', 'the runner svc_rt_[redacted] and the key svc_sk_[redacted]'],
    ['svc.sign_in=abc; lang=de', 'svc.sign_in=[redacted]; lang=de'],
    ['at read (/home/x/rules/sign-in/links.ts:70:13)', 'at read (/home/x/rules/sign-in/links.ts:70:13)'],
  ])('writes %s as %s', (text, expected) => {
    expect(redaction.text(text)).toBe(expected);
  });

  it('refuses a route whose secret comes behind another parameter', () => {
    expect(() => redaction.add({ url: '/files/:id/:token' })).toThrow('/files/:id/:token');
  });

  it('reads a long text once', () => {
    const started = performance.now();
    for (const part of ['/upload/', 'https://', '?t=', '%2Fconnect%2F', 'a']) redaction.text(part.repeat(20_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

import { describe, expect, it } from 'vitest';
import { interfaceTools as tools } from '../../../../src/library/tools/registry.ts';
import type { ToolOffer } from '../../../../src/service/rules/service.ts';
import { useApps } from '../support.ts';

const start = useApps();

const offers = (changes: Partial<ToolOffer> = {}) => ({
  tools: {
    offers: () =>
      Promise.resolve(
        tools.map(({ id }): ToolOffer => ({
          id,
          creditsPerMinute: 2,
          free: { enabled: true, seconds: 60, dailyUses: 3 },
          unavailable: null,
          ...changes,
        })),
      ),
  },
});

describe('GET /', () => {
  it('says what this is and leads to the reference', async () => {
    const { base } = await start(offers());
    const answer = await fetch(base);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await answer.text();
    for (const [, href = ''] of html.matchAll(/href="([^"]+)"/g)) expect((await fetch(base + href)).status).toBe(200);
    expect(html).toContain(`${base}/api/try/remove-noise`);
    expect(html.match(/<li>/g)).toHaveLength(14);
    expect(html).toContain('2 credits per minute; 3 free uses a day (the first minute)');
  });

  it('names the address that people use, and leaves out what is not given away', async () => {
    const { base } = await start(offers({ free: { enabled: false, seconds: 60, dailyUses: 0 } }), {
      config: { baseUrl: 'https://audio.test', freeEnabled: 'false' },
    });
    const html = await (await fetch(base)).text();
    expect(html).toContain('https://audio.test/api/v1');
    expect(html).not.toContain('Without an account');
    expect(html).toContain('>2 credits per minute</span>');
  });

  it('says what is not installed', async () => {
    const { base } = await start(offers({ unavailable: 'The models are missing' }));
    expect(await (await fetch(base)).text()).toContain('Not installed');
  });

  it('is no door for what a client names as its host', async () => {
    const { app } = await start(offers());
    const answer = await app.inject({ url: '/', headers: { host: '"><script>alert(1)</script>' } });
    expect(answer.body).not.toContain('<script>');
  });
});

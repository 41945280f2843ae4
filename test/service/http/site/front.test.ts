import { describe, expect, it } from 'vitest';
import { toolIds } from '../../../../src/library/contract/tool-ids.ts';
import { offeredTools as tools } from '../../../../src/service/offers/offers.ts';
import type { ToolOffer } from '../../../../src/service/rules/jobs/tools.ts';
import { useApps } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

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
  it('says what this is, and everything it links is there', slow, async () => {
    const { base } = await start(offers());
    const answer = await fetch(base);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await answer.text();
    for (const [, address = ''] of html.matchAll(/(?:href|src)="(\/[^"]*)"/g))
      expect([address, (await fetch(base + address)).status]).toEqual([address, 200]);
    expect(html).toContain(`${base}/api/try/remove-noise`);
    expect(html).toContain(`${toolIds.length} tools`);
  });

  it('offers the editor and a sample, and an example whose fillers are marked', async () => {
    const { base } = await start(offers());
    const html = await (await fetch(base)).text();
    expect(html).toContain('data-page="/edit"');
    expect(html).toMatch(/data-sample="\/assets\/talk\.opus"/);
    const marked = [...html.matchAll(/class="word is-cut" data-from="([\d.]+)" data-to="([\d.]+)">([^<]+)</g)];
    expect(marked.map(([, , , word]) => word)).toEqual(['Um,', 'Uh,']);
    expect(html.match(/class="word"/g)?.length).toBe(27);
    // Without a script, both can be played.
    expect(html.match(/<audio controls/g)).toHaveLength(2);
    const sample = await fetch(`${base}/assets/talk.opus`);
    expect([sample.status, sample.headers.get('content-type')]).toEqual([200, 'audio/ogg']);
  });

  it('names the address that people use, and leaves out what is not given away', async () => {
    const { base } = await start(offers({ free: { enabled: false, seconds: 60, dailyUses: 0 } }), {
      config: { baseUrl: 'https://audio.test', freeEnabled: 'false' },
    });
    const html = await (await fetch(base)).text();
    expect(html).toContain('https://audio.test/api/v1');
    expect(html).not.toContain('/api/try');
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

  it('is not there with site: false, nor is anything that it loads', async () => {
    const { base } = await start(offers(), { config: { site: 'false' } });
    for (const path of ['/', '/assets/site.css', '/choose'])
      expect((await fetch(base + path, { headers: { accept: 'text/html' } })).status).toBe(404);
    // But for the pages of payments, which the APIs lead to: with all that they load, and no link to what is not there.
    const html = await (await fetch(`${base}/finish/nothing`, { headers: { accept: 'text/html' } })).text();
    expect(html).toContain('There is no such link');
    const loaded = [...html.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, address = '']) => address);
    expect(loaded.length).toBeGreaterThan(2);
    for (const address of loaded) expect([address, (await fetch(base + address)).status]).toEqual([address, 200]);
  });
});

describe('what surrounds every page', () => {
  it('comes in the language that is asked for, and in the one that was chosen', async () => {
    const { base } = await start(offers());
    const page = async (headers: Record<string, string>): Promise<string> => (await fetch(base, { headers })).text();
    expect(await page({ 'accept-language': 'fr;q=0.9, de-AT;q=0.8, en;q=0.1' })).toContain('<html lang="de"');
    expect(await page({ 'accept-language': 'fr' })).toContain('<html lang="en"');
    expect(await page({ 'accept-language': 'de', cookie: 'lang=en; theme=dark' })).toContain(
      '<html lang="en" dir="ltr" data-theme="dark">',
    );
  });

  it('keeps a choice and goes back, to a page of ours alone', async () => {
    const { base } = await start(offers());
    const choose = (query: string) => fetch(`${base}/choose?${query}`, { redirect: 'manual' });
    const chosen = await choose('lang=de&theme=dark&back=%2Fdocs%3Fq%3Da');
    expect([chosen.status, chosen.headers.get('location')]).toEqual([303, '/docs?q=a']);
    expect(chosen.headers.getSetCookie().map((cookie) => cookie.split(';')[0])).toEqual(['lang=de', 'theme=dark']);
    for (const back of ['//evil.test', '/\\evil.test', 'https://evil.test', '/a\r\nb'])
      expect((await choose(`back=${encodeURIComponent(back)}`)).headers.get('location')).toBe('/');
    expect((await choose('lang=xx&theme=pink')).headers.getSetCookie()).toEqual([]);
  });

  it('allows nothing inline and nothing from elsewhere', async () => {
    const { base } = await start(offers());
    const answer = await fetch(base);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await answer.text();
    expect(html).not.toMatch(/ style=| on[a-z]+=|<style|<script>/);
    expect(html.match(/<h1/g)).toHaveLength(1);
  });

  it('shows errors as pages to browsers, and as JSON to programs', async () => {
    const { base } = await start(offers());
    const seen = await fetch(`${base}/nothing`, { headers: { accept: 'text/html' } });
    expect([seen.status, seen.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const html = await seen.text();
    expect(html).toContain('There is no such page');
    expect(html).toContain(seen.headers.get('x-request-id'));
    const told = await fetch(`${base}/nothing`);
    expect(((await told.json()) as { error: { code: string } }).error.code).toBe('not_found');
  });

  it('serves its files compressed, under names that hold', async () => {
    const { base } = await start(offers());
    const style = await fetch(`${base}/assets/site.css`);
    expect([style.headers.get('content-encoding'), style.headers.get('content-type')]).toEqual([
      'gzip',
      'text/css; charset=utf-8',
    ]);
    const font = await fetch(`${base}/assets/instrument-sans-latin-wght.woff2`);
    expect([font.status, font.headers.get('content-encoding')]).toEqual([200, null]);
    for (const name of ['nothing.js', '..%2fmanifest.json', 'frame.ts', '%2e%2e%2f%2e%2e%2fpackage.json'])
      expect((await fetch(`${base}/assets/${name}`)).status).toBe(404);
  });
});

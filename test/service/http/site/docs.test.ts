import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { useSharedApp } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const app = useSharedApp();
const docs = fileURLToPath(new URL('../../../../docs/', import.meta.url));

interface Seen {
  readonly status: number;
  readonly html: string;
}

const get = async (path: string): Promise<Seen> => {
  const answer = await fetch((await app()).base + path, { headers: { accept: 'text/html' } });
  return { status: answer.status, html: await answer.text() };
};

const names = ['', 'reference/'].flatMap((folder) =>
  readdirSync(docs + folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name.slice(0, -3)),
);

describe('the guides', () => {
  it('are all pages, whose links lead to pages and places that are there', slow, async () => {
    expect(names.length).toBeGreaterThan(25);
    const pages = new Map<string, Seen>();
    for (const name of names) pages.set(`/docs/${name}`, await get(`/docs/${name}`));
    let followed = 0;
    for (const [path, { status, html }] of pages) {
      expect([path, status]).toEqual([path, 200]);
      expect([path, html.match(/<h1[ >]/g)?.length]).toEqual([path, 1]);
      expect(html).not.toMatch(/<script>|<[a-z]+ [^>]*style="/);
      for (const [, link = ''] of html.matchAll(/href="((?:\/docs\/[^"#]*)?#[^"]+|\/docs\/[^"]+)"/g)) {
        const [target = '', anchor] = link.split('#');
        const page = target === '' ? html : pages.get(target)?.html;
        expect([path, link, page !== undefined]).toEqual([path, link, true]);
        if (anchor !== undefined && anchor !== 'main')
          expect([path, link, page?.includes(`id="${anchor}"`)]).toEqual([path, link, true]);
        followed += 1;
      }
    }
    expect(followed).toBeGreaterThan(500);
  });

  it('are found by what they say, in their sections', slow, async () => {
    const { html } = await get('/docs?q=idempotency');
    expect(html).toMatch(/class="hits"/);
    expect(html).toContain('/docs/rest-api');
    const nothing = await get(`/docs?q=${encodeURIComponent('<script>zzqx')}`);
    expect(nothing.html).toContain('Nothing for “&lt;script>zzqx”');
    expect((await get(`/docs?q=${'a'.repeat(5000)}`)).status).toBe(200);
  });

  it('are nothing but the guides', async () => {
    for (const path of ['/docs/nothing', '/docs/reference/nothing', '/docs/..%2fpackage', '/docs/decisions'])
      expect((await get(path)).status).toBe(404);
  });
});

// Pages about the service: prices, help, what is kept, the operator's texts, and what search engines read.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { slow } from '../../../fixtures/rounds.ts';
import { useApps } from '../support.ts';

const start = useApps();
const read = async (address: string, language = 'en'): Promise<string> => {
  const answer = await fetch(address, { headers: { accept: 'text/html', 'accept-language': language } });
  expect([address, answer.status]).toEqual([address, 200]);
  return answer.text();
};
const text = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .trim();

describe('prices', () => {
  it('are those of a length that was asked for, in the form of the language', async () => {
    const { base } = await start();
    const row = async (query: string, language: string, name: string): Promise<string> => {
      const html = await read(`${base}/prices${query}`, language);
      return text(html.split('<tr>').find((each) => each.includes(`>${name}</a>`)) ?? '');
    };
    // The fake service asks a cent a minute.
    expect(await row('', 'en', 'Remove noise')).toContain('$0.60');
    expect(await row('?minutes=90', 'en', 'Remove noise')).toContain('$0.90');
    expect(await row('?minutes=90', 'de', 'Rauschen entfernen')).toContain('0,90 $');
    expect(await row('?minutes=90', 'en', 'Media info')).toContain('nothing');
    for (const odd of ['0', '-5', 'x', '1e9', ''])
      expect(await row(`?minutes=${odd}`, 'en', 'Remove noise')).toContain('$0.60');
  });
});

describe('help', () => {
  it('is searched, and marks what is found', async () => {
    const { base } = await start();
    const all = await read(`${base}/help`);
    expect(all.match(/<h2/g)?.length).toBeGreaterThan(10);
    expect(all).not.toContain('<mark>');
    const found = await read(`${base}/help?q=SUBTITLE%20film`);
    expect(found.match(/<h2/g)?.length).toBe(1);
    expect([...found.matchAll(/<mark>([^<]+)/g)].map(([, word]) => word?.toLowerCase())).toContain('subtitles');
    const none = await read(`${base}/help?q=${encodeURIComponent('<b>zzqx')}`);
    expect(none).toContain('&lt;b>zzqx');
    expect(none).not.toContain('<b>zzqx');
    // As the search of the guides does.
    // A letter and its accent as two characters, as some keyboards and pasted file names have them.
    const apart = encodeURIComponent('löschen'.normalize('NFD'));
    expect(await read(`${base}/help?q=${apart}`, 'de')).toMatch(/<mark>löschen/i);
    expect(await read(`${base}/docs?q=idempotency`)).toMatch(/<mark>idempotency/i);
  });

  it('has the same answers in each language, to pages that are there', slow, async () => {
    const { base } = await start();
    const links = async (language: string): Promise<readonly string[]> =>
      [...(await read(`${base}/help`, language)).matchAll(/<p><a href="(\/[^"]*)">/g)].map(([, to = '']) => to);
    expect(await links('de')).toEqual(await links('en'));
    for (const to of await links('en')) {
      const { status } = await fetch(base + to, { redirect: 'manual' });
      // To sign in first, for what belongs to an account.
      expect([to, [200, 303].includes(status)]).toEqual([to, true]);
    }
  });
});

describe('what is kept', () => {
  it('follows the settings that delete it', async () => {
    const { base } = await start({}, { config: { retentionSeconds: '259200', sessionDays: '7' } });
    const page = text(await read(`${base}/kept`));
    expect(page).toContain('Files and results of an account 3 days');
    expect(page).toContain('That you are signed in 7 days without use');
    expect(page).toContain('Files and results without an account 1 hour');
    expect(page).toContain('what was rendered 30 days after the last change');
    const { base: plain } = await start({}, { config: { projectDays: '0' } });
    expect(text(await read(`${plain}/kept`))).not.toContain('after the last change');
  });
});

describe("the operator's texts", () => {
  it('are drafts, until there is a file in the folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'earshot-legal-'));
    try {
      writeFileSync(join(folder, 'privacy.md'), '# Privacy\n\nWe are **Example**.\n\n<script>alert(1)</script>\n');
      writeFileSync(join(folder, 'privacy.de.md'), 'Wir sind **Beispiel**.\n');
      const { base } = await start({}, { config: { legalFolder: folder, operatorAddress: 'Example\\n1 Road' } });
      const own = await read(`${base}/privacy`);
      expect(own).toContain('We are <strong>Example</strong>.');
      expect(own).not.toMatch(/alert|This is a draft/);
      expect(own.match(/<h1/g)).toHaveLength(1);
      expect(await read(`${base}/privacy`, 'de')).toContain('Wir sind <strong>Beispiel</strong>.');
      expect(await read(`${base}/terms`)).toContain('This is a draft');
      // Drafts are not for search engines.
      expect((await fetch(`${base}/terms`)).headers.get('x-robots-tag')).toBe('noindex');
      expect((await fetch(`${base}/privacy`)).headers.get('x-robots-tag')).toBeNull();
      const imprint = await read(`${base}/imprint`);
      expect(imprint).toContain('<address>Example\n1 Road</address>');
      expect(imprint).not.toContain('This is a draft');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('the log says at the start where a folder of texts leaves drafts', async () => {
  const said = async (config: Record<string, string>): Promise<string[]> => {
    const { logged } = await start({}, { config });
    return logged().match(/EARSHOT_LEGAL_FOLDER[^"]*/g) ?? [];
  };
  const folder = mkdtempSync(join(tmpdir(), 'earshot-legal-'));
  try {
    expect(await said({})).toEqual([]);
    expect(await said({ legalFolder: `${folder}/mistyped` })).toEqual([expect.stringContaining('(ENOENT)')]);
    for (const name of ['privacy.md', 'terms.de.md']) writeFileSync(join(folder, name), 'Text');
    expect(await said({ legalFolder: folder })).toEqual([expect.stringMatching(/ has no imprint\.md;/)]);
    expect(await said({ legalFolder: folder, operatorAddress: 'Example' })).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('what search engines and other sites read', () => {
  it('names every page that is for all, and none that is not', slow, async () => {
    const { base } = await start();
    const robots = await (await fetch(`${base}/robots.txt`)).text();
    expect(robots).toContain(`Sitemap: ${base}/sitemap.xml`);
    const answer = await fetch(`${base}/sitemap.xml`);
    expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    const places = [...(await answer.text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, place = '']) => place);
    expect(places).toContain(`${base}/tools/remove-noise`);
    const refused = [...robots.matchAll(/^Disallow: (\S+)$/gm)].map(([, path = '']) => path);
    for (const place of places) {
      const { status, headers } = await fetch(place);
      expect([place, status, headers.get('x-robots-tag')]).toEqual([place, 200, null]);
      expect(refused.some((path) => new URL(place).pathname.startsWith(path))).toBe(false);
    }
  });

  it('has a title, a sentence and an address for links to it', async () => {
    const { base } = await start({}, { config: { baseUrl: 'https://audio.test' } });
    const html = await read(`${base}/prices?minutes=5`);
    expect(html).toContain('<meta property="og:title" content="Prices"');
    expect(html).toContain('<meta property="og:url" content="https://audio.test/prices"');
    expect(html).toMatch(/<meta property="og:description" content="[^"]{20,}"/);
  });
});

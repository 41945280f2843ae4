// Pages of recipes as they come from the server: what a visitor reads, what forms do without a script, who may look.
import { beforeAll, describe, expect, it } from 'vitest';
import { plainSessionCookie } from '../../../../src/service/http/interface/session-cookie.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';
import { tone } from '../try/support.ts';

const services = useServices();
let service: TestService;
beforeAll(async () => {
  service = await services.start();
});

interface Person {
  readonly id: string;
  get(path: string): Promise<Response>;
  post(path: string, form: Readonly<Record<string, string>>): Promise<Response>;
  upload(name: string): Promise<string>;
}

async function person(credits = 100): Promise<Person> {
  const { account, key } = await service.account(credits);
  const { token } = await service.operator.createSession(account.id, 3600);
  const headers = { cookie: `${plainSessionCookie}=${token}`, accept: 'text/html' };
  return {
    id: account.id,
    get: (path) => fetch(service.base + path, { headers, redirect: 'manual' }),
    post: (path, form) =>
      fetch(service.base + path, {
        method: 'POST',
        headers: { ...headers, origin: service.base },
        body: new URLSearchParams(form),
        redirect: 'manual',
      }),
    async upload(name) {
      const bytes = new Uint8Array(await tone(4).arrayBuffer());
      const bearer = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ filename: name, sizeBytes: bytes.length, contentType: 'audio/wav' });
      const made = (await (
        await fetch(`${service.base}/api/v1/files`, { method: 'POST', headers: bearer, body })
      ).json()) as { file: { id: string }; upload: { url: string; headers: Record<string, string> } };
      await fetch(made.upload.url, { method: 'PUT', headers: made.upload.headers, body: bytes });
      await fetch(`${service.base}/api/v1/files/${made.file.id}?wait=30`, { headers: bearer });
      return made.file.id;
    },
  };
}

const fieldIn = (page: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
const foretell = (body: object): Promise<Response> =>
  fetch(`${service.base}/recipes/price`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('a page of a recipe', () => {
  it('is there for each recipe and for chains of one’s own, in both languages', async () => {
    const titles: readonly (readonly [string, string, string])[] = [
      ['/episode', 'Make an episode', 'Eine Folge machen'],
      ['/recipes/audiobook', 'Make a chapter of an audiobook', 'Ein Hörbuchkapitel machen'],
      ['/recipes/subtitles', 'Write subtitles', 'Untertitel schreiben'],
      ['/recipes/own', 'Run your own chain', 'Eine eigene Kette'],
    ];
    for (const [path, english, german] of titles)
      for (const [language, title] of [
        ['en', english],
        ['de', german],
      ] as const) {
        const answer = await fetch(service.base + path, { headers: { 'accept-language': language } });
        expect([answer.status, (await answer.text()).includes(`<h1>${title}</h1>`)]).toEqual([200, true]);
      }
    expect((await fetch(`${service.base}/recipes/cake`)).status).toBe(404);
    const moved = await fetch(`${service.base}/recipes/podcast`, { redirect: 'manual' });
    expect(moved.headers.get('location')).toBe('/episode');
  });

  it('says what a chain costs before its files are there, and what is wrong with it', async () => {
    const two = await foretell({ recipe: 'podcast', options: { roles: 'voice,music' }, seconds: [60, 90] });
    expect(two.status).toBe(200);
    const { credits, steps } = (await two.json()) as { credits: number; steps: { title: string; credits: number }[] };
    expect(steps.reduce((sum, step) => sum + step.credits, 0)).toBe(credits);
    expect(steps.map(({ title }) => title).slice(0, 3)).toEqual(['Level speakers', 'Remove noise', 'Mix tracks']);
    for (const wrong of [
      { recipe: 'podcast', options: { roles: 'music,music' }, seconds: [1, 1] },
      { recipe: 'cake', seconds: [1] },
      { chain: { steps: [{ tool: 'cake' }] }, seconds: [1] },
      { seconds: [1] },
      { recipe: 'audiobook', seconds: [] },
      { recipe: 'audiobook', seconds: [-1] },
    ])
      expect((await foretell(wrong)).status).toBe(400);
  });
});

describe('without a script', () => {
  it('a recipe is priced and started by forms, and its page has the results as one archive', slow, async () => {
    const { get, post, upload } = await person();
    const file = await upload('chapter.wav');
    const page = await (await get('/recipes/audiobook')).text();
    expect(page).toContain(`name="file-${file}"`);
    const chosen = { form: fieldIn(page, 'form'), kind: 'audiobook', [`file-${file}`]: '1' };
    const priced = await (await post('/chains/look', chosen)).text();
    expect(priced).toContain('At most 2 credits. You pay for what succeeds. You have 100 credits.');
    const fields = Object.fromEntries(
      [...priced.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    const started = await post('/chains/start', fields);
    const address = started.headers.get('location') ?? '';
    expect([started.status, address]).toEqual([303, expect.stringMatching(/^\/chains\/chain_\w+$/)]);
    // The same form once more is the same chain.
    expect((await post('/chains/start', fields)).headers.get('location')).toBe(address);
    await expect
      .poll(async () => (await (await get(address)).text()).includes('id="results"'), { timeout: 90_000 })
      .toBe(true);
    const done = await (await get(address)).text();
    expect(done).toContain('LUFS');
    const zip = await get(`${address}/archive`);
    const bytes = Buffer.from(await zip.arrayBuffer());
    expect(zip.headers.get('content-disposition')).toContain('chapter.audiobook.zip');
    expect(Number(zip.headers.get('content-length'))).toBe(bytes.length);
    expect(bytes.includes('chapter.audiobook.mp3')).toBe(true);
    expect(((await (await get(`${address}/report`)).json()) as { status: string }).status).toBe('succeeded');
    // Of others it is not there.
    const other = await person();
    for (const path of ['', '/archive', '/report']) expect((await other.get(address + path)).status).toBe(404);
    const signedOut = await fetch(service.base + address, { redirect: 'manual' });
    expect(signedOut.headers.get('location')).toMatch(/^\/sign-in\?next=/);
  });

  it('refuses a form without its token, no files, and more than there is to pay with', async () => {
    const { get, post, upload } = await person(0);
    const page = await (await get('/recipes/audiobook')).text();
    const form = fieldIn(page, 'form');
    expect((await post('/chains/look', { kind: 'audiobook' })).status).toBe(403);
    expect((await post('/chains/look', { form, kind: 'audiobook' })).status).toBe(400);
    const file = await upload('chapter.wav');
    const chosen = { form, kind: 'audiobook', [`file-${file}`]: '1', key: 'once', most: '2' };
    const refused = await post('/chains/start', chosen);
    expect(refused.status).toBe(402);
    expect((await post('/chains/look', { form, kind: 'own', chain: '{', [`file-${file}`]: '1' })).status).toBe(400);
  });
});

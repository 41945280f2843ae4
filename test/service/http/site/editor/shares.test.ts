// Links by which others read the text of an edit and comment on it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { findings, keepPicture, phone, useBrowser } from '../../../../fixtures/browser/site.ts';
import { skipHere } from '../../../../fixtures/missing-part.ts';
import { slower } from '../../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { type Person, personOf } from './person.ts';
import { speak, workThatHears } from './spoken.ts';

const services = useServices();
const browser = useBrowser();
const said = speak(['So um this is the first take.', '| We keep the second one.'], [1, 2]);
let folder = '';
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-shares-'));
  service = await services.start({ media: workThatHears(said.transcript, folder) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const state = { cut: [[1, 2]], times: [], texts: {}, names: {}, said: {}, kept: [] };
const saved = { version: 0, transcriptFileId: null, state };
const text = {
  title: 'talk.wav',
  language: 'en',
  seconds: 6.5,
  soundFileId: null as string | null,
  days: 7,
  sentences: [
    [0.5, 0.5, 'Ann', 'So this is the first take.'],
    [3.4, 3.8, '<b>Ben</b>', 'We keep the second one.'],
  ],
};
interface Link {
  readonly id: string;
  readonly url: string;
  readonly comments: readonly { readonly id: string; readonly name: string; readonly about: string }[];
}
const linksOf = async (own: Person): Promise<readonly Link[]> =>
  ((await (await own.send('GET', 'shares')).json()) as { readonly shares: readonly Link[] }).shares;

/** Somebody with an edit and a link to its text. */
async function sharer(more: Partial<typeof text> = {}): Promise<{ readonly own: Person; readonly link: Link }> {
  const own = await personOf(service, browser, said.wav);
  expect((await own.send('PUT', 'state', saved)).status).toBe(200);
  const made = await own.send('POST', 'shares', { ...text, soundFileId: null, ...more });
  expect(made.status).toBe(201);
  return { own, link: (await made.json()) as Link };
}

const look = (url: string): Promise<Response> => fetch(url, { headers: { accept: 'text/html' } });
const comment = (url: string, fields: Record<string, string>, from = '127.0.0.1'): Promise<Response> =>
  fetch(`${url}/comments`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-forwarded-for': from },
    body: new URLSearchParams({ sentence: '1', name: 'Cem', text: 'Fine.', ...fields }),
  });

it('shows the text as it was to whom has the link, and nothing else of the account', async () => {
  const { own, link } = await sharer();
  const answer = await look(link.url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-robots-tag')).toBe('noindex');
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  const page = await answer.text();
  expect(page).toContain('So this is the first take.');
  expect(page).toContain('&lt;b>Ben&lt;/b>');
  expect(page).not.toContain(own.file);
  // The edit goes on; the link does not follow it.
  await own.send('PUT', 'state', { ...saved, version: 1, state: { ...state, texts: { 0: 'Now' } } });
  expect(await (await look(link.url)).text()).toBe(page);
  const token = link.url.split('/').at(-1) ?? '';
  expect((await fetch(`${service.base}/shared/${token}/sound`)).status).toBe(404);
  for (const path of [
    `api/v1/files/${own.file}`,
    'api/v1/account',
    `edit/${own.file}/state`,
    `edit/${own.file}/shares`,
  ])
    expect((await fetch(`${service.base}/${path}`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      401,
    );
  const robots = await (await fetch(`${service.base}/robots.txt`)).text();
  expect(robots).toContain('Disallow: /shared/');
});

it('takes comments under a sentence, for all who have the link and for the owner', async () => {
  const { own, link } = await sharer();
  const answer = await comment(link.url, { text: 'Is <i>this</i> right?' });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toContain('said=1#s1');
  expect(await (await look(link.url)).text()).toContain('Is &lt;i>this&lt;/i> right?');
  const [shown] = await linksOf(own);
  expect(shown?.comments).toMatchObject([
    { name: 'Cem', text: 'Is <i>this</i> right?', about: 'We keep the second one.', source: 3.8 },
  ]);
  for (const wrong of [{ sentence: '2' }, { sentence: '-1' }, { name: ' ' }, { text: '' }, { text: 'x'.repeat(2001) }])
    expect((await comment(link.url, wrong)).status, JSON.stringify(wrong)).toBe(400);
  const other = await personOf(service, browser, said.wav);
  const id = shown?.comments[0]?.id ?? '';
  await other.send('DELETE', `comments/${id}`);
  expect((await linksOf(own))[0]?.comments).toHaveLength(1);
  await own.send('DELETE', `comments/${id}`);
  expect((await linksOf(own))[0]?.comments).toEqual([]);
});

it('bounds the comments of one network address, and those of one link', async () => {
  const { link } = await sharer();
  const answers: number[] = [];
  for (let at = 0; at < 21; at++) answers.push((await comment(link.url, {})).status);
  expect(answers.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 303));
  expect(answers[20]).toBe(429);
  const { link: full } = await sharer();
  await sql`insert into edit_comments (id, share_id, sentence, name, text)
    select 'com_' || n, ${full.id}, 0, 'n', 't' from generate_series(1, 500) n`.execute(service.stores.database.kysely);
  const refused = await comment(full.url, {});
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    429,
    'limit_exceeded',
  ]);
});

it('ends a link when it is taken back, when its time is over, and with its recording', async () => {
  const [back, over, deleted, forged] = [await sharer(), await sharer(), await sharer(), await sharer()];
  await deleted.own.send('DELETE', `shares/${back.link.id}`);
  expect((await look(back.link.url)).status).toBe(200);
  expect((await back.own.send('DELETE', `shares/${back.link.id}`)).status).toBe(204);
  await sql`update edit_shares set expires_at = clock_timestamp() where id = ${over.link.id}`.execute(
    service.stores.database.kysely,
  );
  expect((await deleted.own.send('DELETE', '')).status).toBe(204);
  const urls = [back.link.url, over.link.url, deleted.link.url, `${forged.link.url.slice(0, -1)}_`];
  for (const url of urls) {
    const answer = await look(url);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('first take');
    expect((await comment(url, {})).status).toBe(404);
  }
});

it('gives the sound of the edit with it, and never another file', async () => {
  const own = await personOf(service, browser, said.wav);
  const other = await personOf(service, browser, said.wav);
  await own.send('PUT', 'state', saved);
  expect((await own.send('POST', 'shares', { ...text, soundFileId: other.file })).status).toBe(400);
  const second = await own.api('files', { method: 'POST', body: JSON.stringify({ filename: 'b.wav', sizeBytes: 44 }) });
  expect((await own.send('POST', 'shares', { ...text, soundFileId: second.file.id })).status).toBe(400);
  const made = await own.send('POST', 'shares', { ...text, soundFileId: own.file });
  const { url } = (await made.json()) as Link;
  expect(await (await look(url)).text()).toContain('<audio');
  const heard = await fetch(`${url}/sound`, { headers: { range: 'bytes=0-3' } });
  expect([heard.status, await heard.text()]).toEqual([206, 'RIFF']);
});

it('makes at most twenty links to one recording, and none where nothing is saved', async () => {
  const own = await personOf(service, browser, said.wav);
  const add = async (): Promise<number> => (await own.send('POST', 'shares', text)).status;
  expect(await add()).toBe(409);
  await own.send('PUT', 'state', saved);
  for (let at = 0; at < 20; at++) expect(await add()).toBe(201);
  expect(await add()).toBe(429);
  expect((await own.send('POST', 'shares', { ...text, days: 91 })).status).toBe(400);
});

it(
  'is made in the editor, read and commented on without a script, and found again by the owner',
  slower,
  async (context) => {
    if (!hasChromium) skipHere(context, 'Chromium is not installed');
    const own = await personOf(service, browser, said.wav);
    const job = await own.press('transcript', { script: null });
    await expect.poll(async () => (await own.api(`jobs/${job}`)).status, { timeout: 30_000 }).toBe('succeeded');
    const page = await own.open();
    await page.getByText('We keep the second one.').waitFor();
    const openDialog = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('button', { name: 'Link for reading' }).click();
    };
    await openDialog();
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByText('The link is made.').waitFor();
    await keepPicture(page, 'share-dialog');
    expect(await findings(page)).toEqual([]);
    const url = (await page.getByRole('link', { name: /^Link of/ }).getAttribute('href')) ?? '';
    const reader = await browser.open({ javaScriptEnabled: false });
    await reader.goto(url);
    await keepPicture(reader, 'shared');
    await reader
      .getByRole('link', { name: /^Comment on the sentence/ })
      .last()
      .click();
    await reader.getByLabel('Your name').fill('Cem');
    await reader.getByLabel('Your comment').fill('Keep both.');
    await reader.getByRole('button', { name: 'Send' }).click();
    await reader.getByText('Your comment is there.').waitFor();
    for (const options of [{}, { viewport: phone }, { colorScheme: 'dark' as const }, { locale: 'de-DE' }]) {
      const seen = await browser.open(options);
      await seen.goto(`${url}?page=1&at=0`);
      await keepPicture(seen, `shared-${JSON.stringify(options).replaceAll(/\W+/g, '').slice(0, 24)}`);
      expect(await findings(seen)).toEqual([]);
      await seen.context().close();
    }
    await page.getByRole('button', { name: 'Close' }).click();
    await openDialog();
    await page.getByText('Keep both.').waitFor();
    await page.getByRole('link', { name: /We keep the second one/ }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await openDialog();
    await page.getByRole('button', { name: 'Take back' }).click();
    await expect.poll(async () => (await look(url)).status).toBe(404);
  },
);

// An edit lives on: its steps, its versions and its files, over sessions, devices and restarts of the service.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
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
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-lives-'));
  service = await services.start({ media: workThatHears(said.transcript, folder) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const person = (): Promise<Person> => personOf(service, browser, said.wav);

const nothing = { cut: [], times: [], texts: {}, names: {}, said: {}, kept: [] };
const oneCut = { ...nothing, cut: [[1, 2]] };
const history = { steps: [['Cut “um”', { cut: [[], [[1, 2]]] }]], done: 1 };
const put = (own: Person, version: number, more: object = {}): Promise<Response> =>
  own.send('PUT', 'state', { version, transcriptFileId: null, state: oneCut, history, ...more });
// oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
const read = async (answer: Promise<Response>): Promise<any> => (await answer).json();

it('keeps the steps of an edit with it, unless the release before has saved it since', async () => {
  const own = await person();
  expect((await put(own, 0)).status).toBe(200);
  expect((await read(own.send('GET', 'state'))).edit).toMatchObject({ state: oneCut, history, version: 1 });
  // The release before knows nothing of steps.
  await sql`update edits set state = ${JSON.stringify(nothing)}, version = 2 where file_id = ${own.file}`.execute(
    service.stores.database.kysely,
  );
  expect((await read(own.send('GET', 'state'))).edit).toMatchObject({ state: nothing, history: null, version: 2 });
  expect((await put(own, 2)).status).toBe(200);
  expect((await read(own.send('GET', 'state'))).edit).toMatchObject({ history, version: 3 });
  const wild = { steps: [['x', { cut: [[], [['a', 2]]] }]], done: 1 };
  expect((await put(own, 3, { history: wild })).status).toBe(400);
});

it('keeps versions by a name, and gives them to nobody else', async () => {
  const [own, other] = [await person(), await person()];
  const named = { name: 'Short', seconds: 2.5, version: 1 };
  // Nothing is saved yet.
  expect((await own.send('POST', 'versions', named)).status).toBe(409);
  await put(own, 0);
  const made = await read(own.send('POST', 'versions', named));
  expect(made).toMatchObject({ name: 'Short', seconds: 2.5, transcriptFileId: null });
  await put(own, 1, { state: nothing, history: null });
  expect((await own.send('POST', 'versions', named)).status).toBe(409);
  expect((await read(own.send('GET', 'versions'))).versions).toEqual([made]);
  expect(await read(own.send('GET', `versions/${made.id}`))).toEqual({ state: oneCut, transcriptFileId: null });
  expect((await other.send('GET', `versions/${made.id}`)).status).toBe(404);
  expect((await other.send('DELETE', `versions/${made.id}`)).status).toBe(204);
  expect((await read(own.send('GET', 'versions'))).versions).toHaveLength(1);
  expect((await own.send('DELETE', `versions/${made.id}`)).status).toBe(204);
  expect((await read(own.send('GET', 'versions'))).versions).toEqual([]);
  for (let at = 0; at < 50; at++) await own.send('POST', 'versions', { ...named, version: 2 });
  expect((await own.send('POST', 'versions', { ...named, version: 2 })).status).toBe(429);
});

const hoursLeft = async (own: Person, id: string): Promise<number> =>
  (Date.parse((await own.api(`files/${id}`)).expiresAt) - Date.now()) / 3_600_000;

it('keeps recording, transcript and renderings together, and deletes them together', async () => {
  const own = await person();
  expect(await hoursLeft(own, own.file)).toBeLessThan(25);
  const [text, cut] = [
    await own.press('transcript', { script: null }),
    await own.press('render', { ranges: [[1, 2]], crossfade_ms: 20, free: false }),
  ];
  const outputs: string[] = [];
  for (const job of [text, cut]) {
    await expect.poll(async () => (await own.api(`jobs/${job}`)).status, { timeout: 30_000 }).toBe('succeeded');
    const done = await own.api(`jobs/${job}`);
    outputs.push(done.outputs[0].id);
  }
  const [transcript = '', rendered = ''] = outputs;
  await put(own, 0, { transcriptFileId: transcript });
  const { project } = await read(own.send('GET', 'versions'));
  for (const id of [own.file, transcript, rendered]) {
    expect(await hoursLeft(own, id)).toBeGreaterThan(30 * 24 - 1);
    expect(await hoursLeft(own, id)).toBeLessThan(30 * 24 + 1);
  }
  const sizes = await Promise.all([own.file, transcript, rendered].map((id) => own.api(`files/${id}`)));
  const bytes = sizes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(project).toMatchObject({ days: 30, bytes, accountBytes: bytes, mostBytes: 20e9 });
  const files = await fetch(`${service.base}/files`, { headers: { cookie: own.cookie, accept: 'text/html' } });
  expect(await files.text()).toContain('a recording that you edit with all of its files 30 days after its last change');
  expect((await own.send('DELETE', '')).status).toBe(204);
  for (const id of [own.file, transcript, rendered]) expect((await own.api(`files/${id}`)).status).toBe('deleted');
  expect((await own.send('GET', 'versions')).status).toBe(410);
});

it('keeps nothing for longer where the operator or the room of the account says so', async () => {
  const { stores } = service;
  const { data } = service.config;
  const [none, little] = [
    await services.start({ stores, worker: false, config: { data, projectDays: '0' } }),
    await services.start({ stores, worker: false, config: { data, projectBytes: '1000' } }),
  ];
  for (const each of [none, little]) {
    const own = await personOf(each, browser, said.wav);
    await put(own, 0);
    expect(await hoursLeft(own, own.file)).toBeLessThan(25);
  }
});

const undoName = (page: Page, name: RegExp | string) => page.getByRole('button', { name });

it('can be undone after a reload, on another device and after a restart of the service', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const own = await person();
  const page = await own.open();
  await page.getByRole('button', { name: /^Transcribe/ }).click();
  await page.getByText('the first take.').waitFor();
  await page.getByRole('button', { name: 'Cut: um' }).click();
  await page.locator('#ed-text').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Correct' }).fill('cut.');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await own.edit())['texts']).toEqual({ 6: 'cut.' });
  await page.reload();
  await undoName(page, 'Undo: Wrote “cut.”').waitFor();

  // A version, on a phone; there the correction is undone.
  const device = await own.open({ viewport: phone, hasTouch: true, colorScheme: 'dark', locale: 'de-DE' });
  await device.getByRole('button', { name: 'Fassungen' }).click();
  await device.getByLabel('Name der Fassung').fill('Kurz');
  await device.getByRole('button', { name: 'Fassung speichern' }).click();
  await device.getByText('Kurz').waitFor();
  expect(await findings(device)).toEqual([]);
  await keepPicture(device, 'editor-versions-phone');
  await device.getByRole('button', { name: 'Schließen' }).click();
  // What was done in English is called in German where German is read.
  await undoName(device, 'Rückgängig: “cut.” geschrieben').click();
  await expect.poll(async () => (await own.edit())['texts']).toEqual({});

  // The first device has not seen that, and does something else: both are there, each can be undone.
  await page.getByRole('button', { name: 'Play the edit' }).focus();
  await page.locator('#ed-text').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Delete');
  await expect.poll(async () => (await own.edit())['cut']).toEqual([[0, 2]]);
  expect((await own.edit())['texts']).toEqual({});

  // Another process, as after a restart.
  const again = await services.start({ stores: service.stores, worker: false, config: { data: service.config.data } });
  const later = await own.open({ viewport: { width: 1280, height: 720 } }, again.base);
  await undoName(later, 'Undo: Cut “So”').click();
  await expect.poll(async () => (await own.edit())['cut']).toEqual([[1, 2]]);
  await undoName(later, 'Undo: Cut “um”').click();
  await expect.poll(async () => (await own.edit())['cut']).toEqual([]);
  await later.getByRole('button', { name: 'Versions' }).click();
  await keepPicture(later, 'editor-versions');
  expect(await findings(later)).toEqual([]);
  await later.getByRole('button', { name: 'Bring back: Kurz' }).click();
  await expect
    .poll(async () => [(await own.edit())['cut'], (await own.edit())['texts']])
    .toEqual([[[1, 2]], { 6: 'cut.' }]);
  await undoName(later, 'Undo: Brought back Kurz').click();
  await expect.poll(async () => (await own.edit())['cut']).toEqual([]);
  expect(browser.complaints.filter((text) => !text.includes('status of 409'))).toEqual([]);
});

// The editor as people use it: from a file to a rendered file, held against the samples that it must have.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../../fixtures/browser/site.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { plainSessionCookie } from '../../../../../src/service/http/interface/session-cookie.ts';
import type { Account } from '../../../../../src/service/rules/accounts/account.ts';
import { rate, speak, workThatHears } from './spoken.ts';
import { slow } from '../../../../fixtures/rounds.ts';

/** Each night; of every push only the first flow, since a browser takes seconds of processor time. */
const soaks = process.env['EARSHOT_TEST_SOAK'] === '1';

const services = useServices();
const browser = useBrowser();
const said = speak(
  ['So um this is the first take.', '| We we keep the second one, and that is all.', 'Thanks.'],
  [1, 1, 2],
);
/** In the middle of the pause. */
const pauseEnd = said.transcript.sentences[1]?.startSeconds ?? 0;
const ringing = { startSeconds: pauseEnd - 0.8, endSeconds: pauseEnd - 0.3, sound: 'ringing', score: 0.5 };
let folder = '';
let path = '';
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-editor-'));
  path = join(folder, 'talk.wav');
  await writeFile(path, said.wav);
  service = await services.start({ media: workThatHears({ ...said.transcript, events: [ringing] }, folder) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A window of somebody who is signed in. */
async function signedIn(
  options: Parameters<typeof browser.open>[0] = {},
  account?: Account,
): Promise<[Page, Account, string]> {
  const made = account === undefined ? await service.account() : null;
  const own = account ?? (made as { readonly account: Account }).account;
  const { token } = await service.operator.createSession(own.id, 3600);
  const page = await browser.open(options);
  await page.context().addCookies([{ name: plainSessionCookie, value: token, url: service.base }]);
  return [page, own, made?.key ?? ''];
}

/** Uploads the recording. @returns its id */
async function upload(key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const made = (await (
    await fetch(`${service.base}/api/v1/files`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ filename: 'talk.wav', sizeBytes: said.wav.length, contentType: 'audio/wav' }),
    })
  ).json()) as { file: { id: string }; upload: { url: string; headers: Record<string, string> } };
  await fetch(made.upload.url, { method: 'PUT', headers: made.upload.headers, body: new Uint8Array(said.wav) });
  await fetch(`${service.base}/api/v1/files/${made.file.id}?wait=30`, { headers });
  return made.file.id;
}

const samplesOf = (file: string): Int16Array => {
  const bytes = readFileSync(file);
  const at = bytes.indexOf('data') + 8;
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset + at));
};

/** The samples that are left when these stretches go, with the equal-power crossfade of 20 ms at each seam. */
function expected(removed: readonly (readonly [number, number])[]): Float64Array {
  const keeps: [number, number][] = [];
  let at = 0;
  for (const [from, to] of removed) {
    keeps.push([at, Math.round(from * rate)]);
    at = Math.round(to * rate);
  }
  keeps.push([at, said.samples.length]);
  const out = new Float64Array(keeps.reduce((sum, [from, to]) => sum + to - from, 0));
  let place = 0;
  for (const [from, to] of keeps) {
    for (let frame = from; frame < to; frame++) out[place + frame - from] = said.samples[frame] ?? 0;
    place += to - from;
  }
  place = 0;
  for (const [index, [from, to]] of keeps.slice(0, -1).entries()) {
    place += to - from;
    const half = 160;
    const next = keeps[index + 1]?.[0] ?? 0;
    for (let step = 0; step < 2 * half; step++) {
      const angle = (((step + 0.5) / (2 * half)) * Math.PI) / 2;
      out[place - half + step] =
        Math.cos(angle) * (said.samples[to - half + step] ?? 0) +
        Math.sin(angle) * (said.samples[next - half + step] ?? 0);
    }
  }
  return out;
}

/** What is saved when this is pressed. */
async function saved(page: Page, press: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  const place = join(folder, `${saves++}-${download.suggestedFilename()}`);
  await download.saveAs(place);
  return place;
}
let saves = 0;

async function exported(page: Page, name: string): Promise<string> {
  const place = await saved(page, async () => {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name }).click();
  });
  await page.keyboard.press('Escape');
  return readFileSync(place, 'utf8');
}

const cuts = async (page: Page): Promise<readonly (readonly [number, number])[]> =>
  (JSON.parse(await exported(page, 'Edit list JSON')) as { ranges: [number, number][] }).ranges;

/** Renders, and holds the file against the samples of the recording without what the edit removes. */
async function expectRendered(page: Page, removed: readonly (readonly [number, number])[]): Promise<void> {
  await page.getByRole('button', { name: /^Render/ }).click();
  const link = page.getByRole('link', { name: /^Download/ });
  await link.waitFor();
  const samples = samplesOf(await saved(page, () => link.click()));
  const wanted = expected(removed);
  expect(samples.length).toBe(wanted.length);
  const wrong = samples.findIndex((sample, frame) => Math.abs(sample - (wanted[frame] ?? 0) * 32_768) > 1);
  expect(wrong).toBe(-1);
}

/** A recording that was transcribed, opened in the editor. */
async function opened(page: Page, key: string): Promise<string> {
  const file = await upload(key);
  await page.goto(`${service.base}/edit/${file}`);
  await page.getByRole('button', { name: /^Transcribe/ }).click();
  await page.getByText('the first take.').waitFor();
  return file;
}

const stateOf = async (account: Account, file: string): Promise<Record<string, unknown>> =>
  (await service.service.edits.open(account, file)).edit?.state ?? {};

describe.skipIf(!hasChromium)('the editor', () => {
  it('turns a file into its words, and deleted words into a file without them', slow, async () => {
    const [page, account, key] = await signedIn();
    const file = await opened(page, key);
    await keepPicture(page, 'editor-desk');
    expect(await findings(page)).toEqual([]);

    // The filler by its list, two words by the keyboard.
    await page.getByRole('button', { name: 'Cut: um' }).click();
    await page.locator('#ed-text').focus();
    for (let word = 0; word < 2; word++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Delete');
    await keepPicture(page, 'editor-cut');
    const removed = await cuts(page);
    // "um" and "this is" are one stretch; it ends in the silence before "the".
    expect(removed.length).toBe(1);
    expect(removed[0]?.[0]).toBeGreaterThan(0.79);
    expect(removed[0]?.[1]).toBeLessThan(2.11);
    await expectRendered(page, removed);
    await keepPicture(page, 'editor-rendered');

    // Undo to the beginning, and forward again, by keys.
    await page.locator('#ed-text').focus();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    expect(await cuts(page)).toEqual([]);
    await page.locator('#ed-text').focus();
    await page.keyboard.press('Control+Shift+z');
    await page.keyboard.press('Control+Shift+z');
    expect(await cuts(page)).toEqual(removed);

    // A sound that is not speech is cut, and comes back; until then it is in the subtitles.
    await page.getByRole('tab', { name: /^Sounds/ }).click();
    await keepPicture(page, 'editor-sounds');
    await page.getByRole('button', { name: 'Cut: ringing' }).click();
    const [, ring] = await cuts(page);
    expect(ring?.[0]).toBeCloseTo(ringing.startSeconds, 2);
    expect(ring?.[1]).toBeCloseTo(ringing.endSeconds, 2);
    expect(await exported(page, 'Subtitles SRT')).not.toContain('[ringing]');
    await page.getByRole('button', { name: 'Restore: ringing' }).click();
    expect(await exported(page, 'Subtitles SRT')).toContain('\n[ringing]\n');

    // The pause is shortened, a word corrected, a speaker named: all of it is in what is exported, at the new times.
    await page.getByRole('tab', { name: /^Pauses/ }).click();
    await page.getByRole('button', { name: /^Cut: Pause/ }).click();
    await page.locator('#ed-text').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Correct' }).fill('take two.');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: /^Speakers/ }).click();
    await page.getByLabel('Name of speaker 2').fill('Anna');
    await page.keyboard.press('Tab');
    const text = await exported(page, 'Transcript TXT');
    expect(text).toMatch(/So the first take two\.[\s\S]*Anna: Thanks\./);
    const srt = await exported(page, 'Subtitles SRT');
    const gone = (await cuts(page)).reduce((sum, [from, to]) => sum + to - from, 0);
    const lastStart = Number(/00:00:(\d\d,\d{3}) --> [^\n]*\n[^\n]*Thanks/.exec(srt)?.[1]?.replace(',', '.'));
    expect(lastStart).toBeCloseTo((said.transcript.sentences.at(-1)?.startSeconds ?? 0) - gone, 1);

    // It is kept: a reload shows it.
    await expect.poll(async () => (await stateOf(account, file))['names']).toEqual({ 2: 'Anna' });
    await page.reload();
    await page.getByText('take two.').waitFor();
    expect(await page.locator('del').allTextContents()).toEqual(['um this is']);
    expect(browser.complaints).toEqual([]);
  });

  it.runIf(soaks)('has what two tabs do, and keeps what was done when the session had ended', async () => {
    const [first, account, key] = await signedIn();
    const file = await opened(first, key);
    await expect.poll(async () => (await service.service.edits.open(account, file)).transcriptFileId).not.toBe(null);
    const second = await first.context().newPage();
    await second.goto(first.url());
    await second.getByText('the first take.').waitFor();
    await first.getByRole('button', { name: 'Cut: um' }).click();
    await expect.poll(async () => (await stateOf(account, file))['cut']).toEqual([[1, 2]]);
    await second.getByRole('button', { name: 'Cut: We' }).click();
    await expect
      .poll(async () => (await stateOf(account, file))['cut'])
      .toEqual([
        [1, 2],
        [7, 8],
      ]);
    await second.getByText('Changes of another tab or device were added.').first().waitFor({ state: 'attached' });

    await service.stores.accounts.removeSessions(account.id);
    await second.locator('#ed-text').focus();
    await second.keyboard.press('Home');
    await second.keyboard.press('Delete');
    await second.getByText(/Your session has ended/).waitFor();
    await keepPicture(second, 'editor-session-ended');
    const { token } = await service.operator.createSession(account.id, 3600);
    await second.context().addCookies([{ name: plainSessionCookie, value: token, url: service.base }]);
    second.on('dialog', (dialog) => void dialog.accept());
    await second.reload();
    await expect
      .poll(async () => (await stateOf(account, file))['cut'], { timeout: 20_000 })
      .toEqual([
        [0, 2],
        [7, 8],
      ]);
    browser.forget();
  });

  it.runIf(soaks)('is closed to others, and to those who are not signed in', async () => {
    const [page, , key] = await signedIn();
    const file = await upload(key);
    const [other] = await signedIn();
    const answer = await other.goto(`${service.base}/edit/${file}`);
    expect(answer?.status()).toBe(404);
    for (const path of ['state', 'sound'])
      expect((await other.request.get(`${service.base}/edit/${file}/${path}`)).status()).toBe(404);
    const body = { ranges: [[0, 1]], crossfade_ms: 20, free: false, idempotencyKey: 'a' };
    const origin = { origin: service.base };
    expect(
      (await other.request.post(`${service.base}/edit/${file}/render`, { data: body, headers: origin })).status(),
    ).toBe(404);
    // A page of another site cannot write with the session of this one.
    const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
    expect(
      (await page.request.post(`${service.base}/edit/${file}/render`, { data: body, headers: foreign })).status(),
    ).toBe(403);
    const nobody = await browser.open();
    await nobody.goto(`${service.base}/edit/${file}`);
    expect(nobody.url()).toContain('/sign-in?next=%2Fedit%2F');
    expect((await nobody.request.get(`${service.base}/edit/${file}/sound`)).status()).toBe(401);
    browser.forget();
  });

  it.runIf(soaks)('edits a file of the device without an account, on a phone', async () => {
    const page = await browser.open({ viewport: phone, hasTouch: true, colorScheme: 'dark' });
    await page.goto(`${service.base}/edit`);
    expect(await findings(page)).toEqual([]);
    await expectToFit(page);
    await keepPicture(page, 'editor-phone-choose');
    await page.locator('#ed-file').setInputFiles(path);
    await page.getByRole('button', { name: /^Transcribe the first/ }).click();
    await page.getByText('the first take.').waitFor();
    await keepPicture(page, 'editor-phone');
    await page.getByRole('button', { name: 'Suggestions and edits' }).click();
    await page.getByRole('button', { name: 'Cut: um' }).click();
    await page.getByRole('button', { name: 'Cut: We' }).click();
    expect(await findings(page)).toEqual([]);
    await expectToFit(page);
    const removed = await cuts(page);
    expect(removed.length).toBe(2);
    await expectRendered(page, removed);
    await keepPicture(page, 'editor-phone-rendered');
    // The device has it still.
    await page.goto(`${service.base}/edit`);
    await page.getByRole('button', { name: 'talk.wav' }).click();
    await page.locator('del').first().waitFor();
    expect(browser.complaints).toEqual([]);
  });
});

it.runIf(!hasChromium)('is skipped: Chromium is missing (apt-get install chromium)', ({ skip }) => skip());

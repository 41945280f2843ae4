// The editor as people use it: from a file to a rendered file, held against the samples that it must have.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { findings, keepPicture, useBrowser } from '../../../../fixtures/browser/site.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { plainSessionCookie } from '../../../../../src/service/http/interface/session-cookie.ts';
import type { Account } from '../../../../../src/service/rules/records.ts';
import { rate, speak, workThatHears } from './spoken.ts';

const services = useServices();
const browser = useBrowser();
const said = speak(
  ['So um this is the first take.', '| We we keep the second one, and that is all.', 'Thanks.'],
  [1, 1, 2],
);
let folder = '';
let path = '';
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-editor-'));
  path = join(folder, 'talk.wav');
  await writeFile(path, said.wav);
  service = await services.start({ media: workThatHears(said.transcript, folder) });
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

async function cuts(page: Page): Promise<readonly (readonly [number, number])[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('button', { name: 'Edit list JSON' }).click();
    })(),
  ]);
  const saved = join(folder, 'cuts.json');
  await download.saveAs(saved);
  await page.keyboard.press('Escape');
  return (JSON.parse(readFileSync(saved, 'utf8')) as { ranges: [number, number][] }).ranges;
}

describe.skipIf(!hasChromium)('the editor', () => {
  it('turns a file into its words, and deleted words into a file without them', async () => {
    const [page, , key] = await signedIn();
    const file = await upload(key);
    await page.goto(`${service.base}/edit/${file}`);
    await page.getByRole('button', { name: /^Transcribe/ }).click();
    await page.getByText('this is the first take.').waitFor();
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
    expect(removed.length).toBeGreaterThan(0);
    await page.getByRole('button', { name: /^Render for/ }).click();
    const link = page.getByRole('link', { name: /^Download/ });
    await link.waitFor();
    await keepPicture(page, 'editor-rendered');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const saved = join(folder, 'rendered.wav');
    await download.saveAs(saved);
    const samples = samplesOf(saved);
    const wanted = expected(removed);
    expect(samples.length).toBe(wanted.length);
    for (const [frame, sample] of samples.entries())
      if (Math.abs(sample - (wanted[frame] ?? 0) * 32_768) > 1)
        expect([frame, sample]).toEqual([frame, (wanted[frame] ?? 0) * 32_768]);
    // Nothing of the words that went is left, and those beside them are whole.
    expect(wanted.length / rate).toBeCloseTo(
      said.samples.length / rate - removed.reduce((sum, [a, b]) => sum + b - a, 0),
      6,
    );
    expect(browser.complaints).toEqual([]);
  });
});

it.runIf(!hasChromium)('is skipped: Chromium is missing (apt-get install chromium)', ({ skip }) => skip());

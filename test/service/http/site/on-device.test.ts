// Tools of the website in people's own browsers, in headless Chromium: nothing is uploaded, and nothing is counted.
import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { signedIn } from '../../../fixtures/browser/signed-in.ts';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { loudnessByFfmpeg, needFfmpeg } from '../../../fixtures/media/media.ts';
import { wavBytes } from '../../../fixtures/media/pcm-files.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { tone } from '../try/support.ts';

const services = useServices();
const browser = useBrowser();
const folder = temporaryFolder('earshot-test-device-');
const path = (name: string): string => join(folder, name);
let service: TestService;

beforeAll(async () => {
  const second = Buffer.from(await tone(6).arrayBuffer());
  for (const name of ['one.wav', 'two.wav', 'three.wav']) writeFileSync(path(name), second);
  writeFileSync(path('broken.wav'), 'no sound');
  service = await services.start({ config: { onDevice: 'true' } });
});

/** All that a page asks for, with what it sends. */
function watch(page: Page): { readonly sent: () => readonly string[]; readonly hosts: () => ReadonlySet<string> } {
  const asked: { readonly method: string; readonly url: URL; readonly bytes: number }[] = [];
  page.context().on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol === 'blob:' || url.protocol === 'data:') return;
    asked.push({ method: request.method(), url, bytes: request.postDataBuffer()?.length ?? 0 });
  });
  return {
    sent: () =>
      asked
        .filter(({ method, url, bytes }) => method !== 'GET' || bytes > 0 || url.pathname.startsWith('/api/'))
        .map(({ method, url }) => `${method} ${url.pathname}`),
    hosts: () => new Set(asked.map(({ url }) => url.host)),
  };
}

/** Runs, files and free uses in the database. */
const rows = (): Promise<number[]> =>
  Promise.all(
    (['jobs', 'files', 'free_uses'] as const).map(async (table) => {
      const { rows: found } = await service.stores.database.kysely.executeQuery<object>(
        service.stores.database.kysely
          .selectFrom(table as 'jobs')
          .selectAll()
          .compile(),
      );
      return found.length;
    }),
  );

const said = (page: Page) => page.getByRole('group', { name: 'Where it runs' }).getByRole('status');
const there = (page: Page) => page.getByRole('radio', { name: 'On our server' });
const here = (page: Page) => page.getByRole('radio', { name: 'On this device' });

async function choose(page: Page, tool: string, ...names: readonly string[]): Promise<void> {
  await page.goto(`${service.base}/tools/${tool}`);
  await page.locator('#intake input[type=file]').first().setInputFiles(names.map(path));
  await said(page).waitFor();
}

async function saved(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download/ }).click(),
  ]);
  await download.saveAs(path('saved.wav'));
  return path('saved.wav');
}

describe.skipIf(!hasChromium)('a tool of the website on the device', () => {
  afterEach(() => expect(browser.complaints).toEqual([]));

  it('asks for nothing but files of its own page, and leaves no run behind', slow, async (context) => {
    needFfmpeg(context);
    const page = await browser.open();
    const asked = watch(page);
    await choose(page, 'loudness', 'one.wav');
    expect(await said(page).innerText()).toContain('Nothing is uploaded');
    expect(await here(page).isChecked()).toBe(true);
    await keepPicture(page, 'device-chosen');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Set loudness', exact: true }).click();
    // Before and after as of any run.
    await page.getByRole('row', { name: /^Loudness/ }).waitFor();
    await page.getByText('Made on this device. Nothing was uploaded.').waitFor();
    await page.getByText('As recorded').waitFor();
    await keepPicture(page, 'device-done');
    expect(await findings(page)).toEqual([]);
    expect(loudnessByFfmpeg(await saved(page)).lufs).toBeCloseTo(-16, 0);
    // Again, with other options.
    await page.getByRole('button', { name: 'Change options' }).click();
    await page.getByRole('button', { name: 'Set loudness', exact: true }).click();
    await page.getByRole('row', { name: /^Loudness/ }).waitFor();
    expect(asked.sent()).toEqual([]);
    expect([...asked.hosts()]).toEqual([new URL(service.base).host]);
    expect(await rows()).toEqual([0, 0, 0]);
    expect(await page.locator('#left-today').innerText()).toBe('3 of 3');
    await page.setViewportSize(phone);
    await expectToFit(page);
    await keepPicture(page, 'device-phone');
  });

  it('runs several files, of which one is no sound, and none is sent', slower, async () => {
    const page = await browser.open();
    const asked = watch(page);
    await choose(page, 'loudness', 'one.wav', 'two.wav', 'three.wav');
    await page.getByRole('button', { name: 'Set loudness', exact: true }).click();
    await page.getByText('3 of 3 ended').waitFor();
    expect(await page.getByRole('link', { name: /^Download/ }).count()).toBe(3);
    expect(asked.sent()).toEqual([]);
    await choose(page, 'loudness', 'broken.wav');
    expect(await said(page).innerText()).toBe('On our server, since this browser cannot read broken.wav.');
    expect(await here(page).isDisabled()).toBe(true);
  });

  it('says why a run goes to the service, and follows what is chosen', slower, async () => {
    const page = await browser.open({ locale: 'de-DE' });
    await page.goto(`${service.base}/tools/convert`);
    await page.locator('#intake input[type=file]').first().setInputFiles(path('one.wav'));
    await page.getByText('Auf diesem Gerät lässt sich nur WAV schreiben').waitFor();
    await page.getByRole('group', { name: 'Format' }).getByText('WAV', { exact: true }).click();
    await page.getByText('Nichts wird hochgeladen:').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.setViewportSize(phone);
    await expectToFit(page);
    await keepPicture(page, 'device-german');
  });

  it('sends a file of an account only when the service is chosen for it', slow, async () => {
    const { page } = await signedIn(browser, service);
    const asked = watch(page);
    await choose(page, 'loudness', 'one.wav');
    await page.getByRole('button', { name: 'Set loudness', exact: true }).click();
    await page.getByRole('row', { name: /^Loudness/ }).waitFor();
    expect(asked.sent().filter((line) => !line.startsWith('GET '))).toEqual([]);
    await page.getByRole('button', { name: 'Change options' }).click();
    await there(page).check();
    await page.getByText('Uploaded').waitFor();
    await page.getByRole('button', { name: /^Set loudness for/ }).waitFor();
    expect(asked.sent()).toContain('POST /api/v1/files');
  });

  it('leaves the choice of the smaller network to people', slower, async () => {
    const page = await browser.open();
    await choose(page, 'remove-noise', 'one.wav');
    expect(await said(page).innerText()).toContain('stronger network');
    expect(await there(page).isChecked()).toBe(true);
    await here(page).check();
    await page.getByText('Nothing is uploaded:').waitFor();
    await page.getByRole('button', { name: 'Remove noise', exact: true }).click();
    await page.getByRole('row', { name: /^Loudness/ }).waitFor();
  });

  it('cancels, and runs again', slower, async () => {
    const page = await browser.open();
    writeLong(path('long.wav'), 6 * 60);
    await choose(page, 'loudness', 'long.wav');
    const start = page.getByRole('button', { name: 'Set loudness', exact: true });
    await start.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled. Nothing was charged.').waitFor();
    await page.getByRole('button', { name: 'Change options' }).click();
    await start.click();
    await page.getByText('Made on this device.').waitFor();
  });

  it('has no choice where the operator wants none', slower, async () => {
    const off = await services.start();
    const page = await browser.open();
    await page.goto(`${off.base}/tools/loudness`);
    await page.locator('#intake input[type=file]').first().setInputFiles(path('one.wav'));
    await page.getByRole('button', { name: 'Set loudness', exact: true }).waitFor();
    expect(await page.getByText('On this device').count()).toBe(0);
  });
});

/** 44.1 kHz stereo with a click, which takes no room on the disk. */
function writeLong(file: string, seconds: number): void {
  const bytes = seconds * 4 * 44_100;
  const head = Buffer.from(wavBytes([Float32Array.of(0.5, 0.5), Float32Array.of(0.5, 0.5)], 44_100));
  head.writeUInt32LE(36 + bytes, 4);
  head.writeUInt32LE(bytes, 40);
  const to = openSync(file, 'w');
  writeSync(to, head);
  ftruncateSync(to, 44 + bytes);
  closeSync(to);
}

// @module-tag slower
// Whole files on a tool's page, for people who are signed in, in headless Chromium: sent in parts, priced before the
// start, run as jobs of the account.
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { signedIn as openSignedIn } from '../../../fixtures/browser/signed-in.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { onRequests } from '../../../fixtures/service/lost-connections.ts';
import { workWithOwnRuns } from '../../../fixtures/service/own-runs.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { tone } from '../try/support.ts';

const services = useServices();
const browser = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-own-'));
const soft = join(folder, 'soft.wav');
const other = join(folder, 'other.wav');
const large = join(folder, 'large.wav');
/** Longer than the free part, and short enough for real runs on a busy machine. */
const longer = join(folder, 'longer.wav');
/** The number of a part that is sent. */
const parted = /\/upload\/[^/]+\/parts\/(\d+)/;
let service: TestService;

beforeAll(async () => {
  for (const path of [soft, other]) writeFileSync(path, Buffer.from(await tone(4).arrayBuffer()));
  writeSilence(large, 20 * 60);
  writeSilence(longer, 4 * 60);
  service = await services.start();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A WAV of silence, 48 kHz mono in 16 bits, that takes no room on the disk. */
function writeSilence(path: string, seconds: number): void {
  const bytes = seconds * 96_000;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(48_000, 24);
  head.writeUInt32LE(96_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes, 40);
  const file = openSync(path, 'w');
  writeSync(file, head);
  ftruncateSync(file, 44 + bytes);
  closeSync(file);
}

const signedIn = (credits = 1000, at = service): ReturnType<typeof openSignedIn> => openSignedIn(browser, at, credits);
const balanceOf = async (id: string): Promise<number | undefined> => (await service.stores.accounts.get(id))?.balance;
const file = (page: Page) => page.locator('input[type=file]');

describe('somebody who is signed in', () => {
  it('has the whole of a file of over 100 MB processed, though the connection was lost', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    expect(statSync(large).size).toBeGreaterThan(100 * 2 ** 20);
    const { page, id } = await signedIn();
    const parts: string[] = [];
    // From the third part on, until the page has said so: parts that are under way may still arrive.
    let [lost, isLost] = [0, true];
    const restore = onRequests(service, parted, (part) => {
      if (isLost && (part === '3' || lost > 0)) {
        lost += 1;
        return 'break';
      }
      parts.push(part);
      return 'pass';
    });
    await page.goto(`${service.base}/tools/convert`);
    await page.getByText('Files of up to 5.4 GB each').first().waitFor();
    await file(page).setInputFiles(large);
    await page.getByText('The connection is lost. Sending goes on when it is back.').waitFor();
    await keepPicture(page, 'own-connection-lost');
    expect(await findings(page)).toEqual([]);
    expect(lost).toBeGreaterThan(0);
    isLost = false;
    // 20 minutes at a credit a minute.
    const start = page.getByRole('button', { name: 'Convert for 20 credits' });
    await start.waitFor();
    await page.getByText('20:00: 20 credits. You have 1,000 credits.').waitFor();
    await keepPicture(page, 'own-price');
    expect(await findings(page)).toEqual([]);
    // What had arrived was not sent again.
    expect(parts.toSorted()).toEqual([...new Set(parts)].toSorted());
    restore();
    expect(await balanceOf(id)).toBe(1000);
    await page.getByText('WAV', { exact: true }).click();
    await start.click();
    await keepPicture(page, 'own-running');
    const download = page.getByRole('link', { name: /^Download/ });
    await download.waitFor();
    expect(await balanceOf(id)).toBe(980);
    await keepPicture(page, 'own-result');
    expect(await findings(page)).toEqual([]);
    const [saved] = await Promise.all([page.waitForEvent('download'), download.click()]);
    expect(saved.suggestedFilename()).toMatch(/\.wav$/);
    await page.getByRole('slider', { name: 'Position' }).waitFor();
    // The result again, after a reload; and another tool on it, without sending anything.
    await page.reload();
    await download.waitFor();
    let sent = 0;
    page.on('request', (request) => (sent += request.method() === 'PUT' ? 1 : 0));
    await page.getByRole('button', { name: 'Set loudness' }).click();
    await page.waitForURL('**/tools/loudness?file=file_*');
    await page.getByRole('button', { name: 'Set loudness for 20 credits' }).waitFor();
    expect(sent).toBe(0);
    await page.setViewportSize(phone);
    await expectToFit(page);
    await keepPicture(page, 'own-next-phone');
    browser.forget();
  });

  it('goes on with an upload after the page was closed, and cancels one', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn();
    page.on('dialog', (dialog) => void dialog.accept());
    const parts: string[] = [];
    const restore = onRequests(service, parted, (part) => {
      parts.push(part);
      return 'pass';
    });
    // Held in the browser: of one that the service does not read, some bytes would be sent.
    const behindTheThird = /\/upload\/[^/]+\/parts\/(?:[4-9]|\d\d+)$/;
    await page.route(behindTheThird, () => undefined);
    await page.goto(`${service.base}/tools/convert`);
    await file(page).setInputFiles(large);
    await expect.poll(() => parts.length, { timeout: 30_000 }).toBe(3);
    await page.getByText(/Sending 4[0-9] %/).waitFor();
    // Only then: what is held when nothing more is to be held goes on its way.
    await page.reload();
    await page.unroute(behindTheThird);
    await file(page).setInputFiles(large);
    await page.getByRole('button', { name: 'Convert for 20 credits' }).waitFor();
    expect(parts.toSorted((a, b) => Number(a) - Number(b))).toEqual(['1', '2', '3', '4', '5', '6', '7']);

    await page.route(behindTheThird, () => undefined);
    const next = join(folder, 'next.wav');
    writeSilence(next, 20 * 60 + 1);
    await page.getByRole('button', { name: 'Other file' }).click();
    await file(page).setInputFiles(next);
    await page.getByText(/^Sending/).waitFor();
    const [stopped] = await Promise.all([
      page.waitForRequest('**/api/v1/files/*/abort'),
      page.getByRole('button', { name: 'Cancel' }).click(),
    ]);
    expect((await stopped.response())?.status()).toBe(204);
    restore();
    browser.forget();
  });

  it('hears a passage before and after for nothing, and then takes the whole for its price', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page, id } = await signedIn();
    const orders: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/v1/jobs')) orders.push(request.postData() ?? '');
    });
    await page.goto(`${service.base}/tools/convert`);
    await file(page).setInputFiles(longer);
    await page.getByRole('button', { name: 'Hear 20 s first, free' }).click();
    await page.getByText('This is a passage of 20 s.').waitFor();
    expect(JSON.parse(orders[0] ?? '{}')).toMatchObject({ preview_from: 30 });
    expect(await balanceOf(id)).toBe(1000);
    await keepPicture(page, 'own-preview');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Process the whole file for 4 credits' }).click();
    await expect.poll(() => balanceOf(id), { timeout: 120_000 }).toBe(996);
    expect(JSON.parse(orders[1] ?? '{}')).not.toHaveProperty('preview_from');
  });

  it('is told what is missing, takes the free part instead, and then the whole', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page, id } = await signedIn(2);
    await page.goto(`${service.base}/tools/convert`);
    await file(page).setInputFiles(longer);
    await page.getByText('This costs 4 credits, and you have 2 credits.').waitFor();
    expect(await page.getByRole('link', { name: 'Buy credits' }).getAttribute('href')).toBe('/credits');
    await keepPicture(page, 'own-too-few');
    expect(await findings(page)).toEqual([]);
    await page.setViewportSize(phone);
    await expectToFit(page);
    await keepPicture(page, 'own-too-few-phone');
    await page.getByRole('button', { name: 'Only the first 3 minutes, free' }).click();
    // A real run of three minutes: on a busy machine it takes longer than a page's answer.
    await page.getByRole('link', { name: /^Download/ }).waitFor({ timeout: 240_000 });
    await page.getByText('Free: the first 3 minutes').waitFor();
    await keepPicture(page, 'own-free-part');
    expect(await balanceOf(id)).toBe(2);
    // Bought meanwhile, on the other page.
    await service.operator.postCredits(id, 'grant', 100, null);
    await page.getByRole('button', { name: 'Process the whole file for 4 credits' }).click();
    await expect.poll(() => balanceOf(id)).toBe(98);
    browser.forget();
  });

  it('has settings of files and options of every type arrive at the job', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn();
    const orders: object[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/v1/jobs'))
        orders.push(JSON.parse(request.postData() ?? '{}') as object);
    });
    const done = page.getByRole('link', { name: /^Download/ });
    await page.goto(`${service.base}/tools/mix`);
    await file(page).setInputFiles([soft, other]);
    await page.getByLabel('Lower music under voices').check();
    await page.getByLabel('Gain').last().fill('-6');
    await page.getByRole('button', { name: 'Mix tracks, free' }).click();
    await done.waitFor();
    const id = expect.stringMatching(/^file_/) as string;
    const [first, second] = [
      { file_id: id, role: 'voice', volume_db: 0 },
      { file_id: id, role: 'voice', volume_db: -6 },
    ];
    expect(orders.at(-1)).toMatchObject({ tool: 'mix_tracks', tracks: [first, second], duck: true, free: true });

    await page.goto(`${service.base}/tools/loudness`);
    await file(page).setInputFiles(soft);
    await page.getByText('Own', { exact: true }).click();
    await page.getByLabel('Own loudness').fill('-20.5');
    await page.getByRole('button', { name: 'Set loudness for 1 credit' }).click();
    await done.waitFor();
    const order = { tool: 'adjust_loudness', file_id: id, target: 'custom', custom_lufs: -20.5 };
    expect(orders.at(-1)).toMatchObject({ ...order, free: false, max_credits: 1 });

    // Several files, each a job of its own, for the sum that the button says.
    await page.goto(`${service.base}/tools/cut`);
    await file(page).setInputFiles([soft, other]);
    await page.getByLabel('Stretches').fill('0-1');
    await page.getByRole('button', { name: 'Cut for 2 credits' }).click();
    await page.getByText('2 of 2 ended').waitFor();
    expect(await done.count()).toBe(2);
    expect(orders.slice(-2)).toMatchObject([{ ranges: [[0, 1]], max_credits: 1 }, { max_credits: 1 }]);
    await page.locator('.balance').getByText('997 credits', { exact: true }).waitFor();
    browser.forget();
  });

  it('edits a file that is kept in the account', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn();
    await page.goto(`${service.base}/edit`);
    await page.locator('#ed-file').setInputFiles(large);
    await page.getByRole('status').getByText('Sending').waitFor();
    await keepPicture(page, 'own-editor-sending');
    expect(await findings(page)).toEqual([]);
    await page.waitForURL('**/edit/file_*');
    // The price of all of it: 20 minutes.
    await page.getByRole('button', { name: /^Transcribe for/ }).waitFor();
    expect(browser.complaints.filter((text) => !text.includes('status of 409'))).toEqual([]);
    browser.forget();
  });

  it('sees in the bar what is left of the credits, after runs of this page and after a purchase', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const begun: string[] = [];
    const media = workWithOwnRuns(folder, (request, real) => {
      begun.push(request.tool);
      if (begun.length > 1) return real.run(request);
      return new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(new DOMException('Cancelled', 'AbortError')));
      });
    });
    const held = await services.start({ media });
    const { page, id } = await signedIn(1000, held);
    const shows = (credits: string) => page.locator('.balance').getByText(credits, { exact: true }).waitFor();
    await page.goto(`${held.base}/tools/convert`);
    await file(page).setInputFiles(soft);
    const start = page.getByRole('button', { name: 'Convert for 1 credit' });
    await start.click();
    // Its price is held back.
    await shows('999 credits');
    await expect.poll(() => begun.length).toBe(1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled. Nothing was charged.').first().waitFor();
    await shows('1,000 credits');
    await page.getByRole('button', { name: 'Change options' }).click();
    await start.click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
    await shows('999 credits');
    await page.getByRole('button', { name: 'Change options' }).click();
    await page.getByText('You have 999 credits.').waitFor();
    await held.operator.postCredits(id, 'grant', 100, null);
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await shows('1,099 credits');
    // In the page's language; and nothing is said when the session has ended.
    const left = `${held.base}/credits/left`;
    const german = await page.request.get(left, { headers: { 'accept-language': 'de' } });
    expect([german.status(), await german.text()]).toEqual([200, '1.099 Credits']);
    const nobody = await browser.open();
    expect((await nobody.request.get(left)).status()).toBe(204);
    expect(browser.complaints).toEqual([]);
  });

  it('does not get files and jobs of others', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn();
    await page.goto(`${service.base}/tools/convert`);
    await file(page).setInputFiles(soft);
    await page.waitForURL('**/tools/convert?file=file_*');
    const address = new URL(page.url());
    const fileId = address.searchParams.get('file') ?? '';
    const { page: other } = await signedIn();
    await other.goto(page.url());
    await other.getByText(`There is no file ${fileId}`).waitFor();
    expect((await other.request.get(`${service.base}/files/${fileId}/content`)).status()).toBe(404);
    expect((await page.request.get(`${service.base}/files/${fileId}/content`)).status()).toBe(200);
    const nobody = await browser.open();
    expect((await nobody.request.get(`${service.base}/files/${fileId}/content`)).status()).toBe(401);
    // Short enough for the free part: that is offered first.
    await page.getByRole('button', { name: 'Convert, free' }).click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
    await other.goto(page.url());
    await other.getByText(/There is no job job_/).waitFor();
    browser.forget();
  });
});

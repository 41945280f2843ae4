// A tool's page while the network fails, and with a file that is too large, in headless Chromium.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { desk, expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { slower } from '../../../fixtures/rounds.ts';
import { workWithOwnRuns } from '../../../fixtures/service/own-runs.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { tone } from '../try/support.ts';

const services = useServices();
const browser = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-connection-'));
const sound = join(folder, 'sound.wav');
let service: TestService;

beforeAll(async () => {
  writeFileSync(sound, Buffer.from(await tone(2).arrayBuffer()));
  service = await services.start();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('sends a file again whose answer was lost, and makes one run of it', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open({ viewport: desk });
  let sent = 0;
  await page.route('**/api/try/loudness', async (route) => {
    sent += 1;
    if (sent === 1) await route.abort('connectionreset');
    else if (sent === 2) {
      // It arrives, but its answer does not.
      await route.fetch();
      await route.abort('connectionreset');
    } else await route.continue();
  });
  await page.goto(`${service.base}/tools/loudness`);
  await page.locator('input[type=file]').setInputFiles(sound);
  await page.getByRole('button', { name: 'Set loudness' }).click();
  await page.getByText('The connection is unstable. Trying again.').waitFor();
  await keepPicture(page, 'connection-lost');
  expect(await findings(page)).toEqual([]);
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  expect(sent).toBe(3);
  // One of three free uses is taken.
  await page.goto(`${service.base}/tools/loudness`);
  await page.getByText('2 of 3').waitFor();
  browser.forget();
});

it('says so when the service is away, and goes on with the same file', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open({ viewport: desk });
  // 30 s of pauses pass at once.
  await page.clock.install();
  await page.goto(`${service.base}/tools/convert`);
  await page.locator('input[type=file]').setInputFiles(sound);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  for (const seconds of [1, 2, 4, 8, 15]) {
    await page.getByText('The connection is unstable. Trying again.').waitFor();
    await page.clock.runFor(seconds * 1000 + 100);
  }
  await page.getByText('could not be reached for half a minute').waitFor();
  await keepPicture(page, 'connection-gone');
  expect(await findings(page)).toEqual([]);
  await page.context().setOffline(false);
  await page.clock.resume();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  browser.forget();
});

it('shows a refusal that came while the file was being sent, and does not send it again', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const strict = await services.start({ config: { rateLimitAddress: '30' } });
  const large = join(folder, 'large.wav');
  writeFileSync(large, '');
  truncateSync(large, 60e6);
  const page = await browser.open({ viewport: desk });
  let sent = 0;
  page.on('request', (request) => (sent += request.method() === 'POST' && request.url().includes('/api/try/') ? 1 : 0));
  await page.goto(`${strict.base}/tools/loudness`);
  // It takes longer than the service goes on reading after its answer.
  const session = await page.context().newCDPSession(page);
  const network = { offline: false, latency: 5, downloadThroughput: -1, uploadThroughput: 4e6 };
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  for (let status = 0; status !== 429;) ({ status } = await fetch(`${strict.base}/api/try`));
  await page.locator('input[type=file]').setInputFiles(large);
  await page.getByRole('button', { name: 'Set loudness' }).click();
  await page.getByText('Expected at most 30 requests a minute').waitFor();
  await page.getByText('Wait that long and send it again').waitFor();
  // Time for the first two retries.
  await page.waitForTimeout(4000);
  expect(sent).toBe(1);
  expect(await findings(page)).toEqual([]);
  await keepPicture(page, 'upload-refused');
  await page.setViewportSize(phone);
  await expectToFit(page);
  await keepPicture(page, 'upload-refused-phone');
  // The same file, without choosing it anew.
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'large.wav' }).waitFor();
  await expect.poll(() => sent).toBe(2);
  await page.getByRole('button', { name: 'Cancel' }).click();
  browser.forget();
});

it('makes a new run of the same file when one has failed and may do later', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  let runs = 0;
  const media = workWithOwnRuns(folder, async (request, real) => {
    runs += 1;
    if (runs === 1) throw new Error('a fault that passes');
    if (runs === 3) throw new EarshotError('no_audio', 'a fault that stays');
    return real.run(request);
  });
  const shaky = await services.start({ media });
  const page = await browser.open({ viewport: desk });
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/try/loudness'))
      keys.push(request.headers()['idempotency-key']);
  });
  await page.goto(`${shaky.base}/tools/loudness`);
  await page.locator('input[type=file]').setInputFiles(sound);
  await page.getByRole('button', { name: 'Set loudness' }).click();
  await page.getByText('failed because of an internal error').waitFor();
  await keepPicture(page, 'run-failed');
  expect(await findings(page)).toEqual([]);
  // The address was that of the run that failed.
  const failed = page.url();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  expect(page.url()).not.toBe(failed);
  expect(new Set(keys).size).toBe(2);
  // With the same key the service would have returned the first run.
  expect(runs).toBe(2);
  // What will fail again is not offered to be tried again.
  await page.getByRole('button', { name: 'Change options' }).click();
  await page.getByRole('button', { name: 'Set loudness' }).click();
  await page.getByText('a fault that stays').waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  // A failed run takes no free use.
  await page.goto(`${shaky.base}/tools/loudness`);
  await page.getByText('2 of 3').waitFor();
  browser.forget();
});

it('says how large a file may be before any byte of 2 GB is sent', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const big = join(folder, 'big.wav');
  writeFileSync(big, '');
  truncateSync(big, 2 ** 31);
  const page = await browser.open({ viewport: desk });
  await page.goto(`${service.base}/tools/convert`);
  await page.locator('input[type=file]').setInputFiles(big);
  await page.getByText(/big\.wav has 2\.1\sGB; up to 100\sMB can be sent in one go/).waitFor();
  expect(await findings(page)).toEqual([]);
  expect(browser.complaints).toEqual([]);
});

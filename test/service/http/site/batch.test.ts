// Several files through a tool for one, in headless Chromium: each is a run of its own.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { desk, expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { workWithOwnRuns } from '../../../fixtures/service/own-runs.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { slower } from '../../../fixtures/rounds.ts';
import { tone } from '../try/support.ts';

const services = useServices();
const browser = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-batch-'));
let service: TestService;

const names = ['one.wav', 'two.wav', 'broken.wav', 'three.wav', 'four.wav', 'five.wav', 'six.wav'];
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  for (const name of names) writeFileSync(path(name), Buffer.from(await tone(2).arrayBuffer()));
  writeFileSync(path('broken.wav'), 'no sound');
  service = await services.start();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('runs each file, says which cannot be read, and which have no free use left', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open({ viewport: desk });
  await page.goto(`${service.base}/tools/convert`);
  await page.locator('input[type=file]').setInputFiles(names.slice(0, 1).map(path));
  await page.getByText('one.wav').waitFor();
  // The others are added to it.
  await page.locator('input[type=file]').setInputFiles(names.slice(1).map(path));
  await page.getByText('7 files: each gets a run of its own').waitFor();
  // What the day allows is told before anything is sent.
  await page.getByText('3 free runs of 3 left today for this tool.').waitFor();
  await keepPicture(page, 'batch-options');
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  await page.getByText('7 of 7 ended').waitFor();
  await keepPicture(page, 'batch-ended');
  expect(await findings(page)).toEqual([]);
  const row = async (name: string): Promise<string> =>
    page.getByRole('row', { name: new RegExp(`^${name}`) }).innerText();
  expect(await row('broken.wav')).toMatch(/This did not work[^]*Expected/);
  const others = await Promise.all(names.filter((name) => name !== 'broken.wav').map(row));
  // A visitor has three free uses of a tool a day.
  expect(others.filter((text) => text.includes('Done'))).toHaveLength(3);
  // Those behind it were not sent, and are not said to be kept.
  // Two are sent at a time, so one or two are refused.
  const [refused, unsent] = ['No free use is left today', 'Not sent'].map(
    (said) => others.filter((text) => text.includes(said)).length,
  );
  expect([refused, unsent].toSorted((a = 0, b = 0) => a - b)).toEqual([1, 2]);
  expect(await page.locator('#left-today').innerText()).toBe('0 of 3');
  // Neither passes by itself.
  expect(await page.getByRole('button', { name: /^Try/ }).count()).toBe(0);
  const downloads = page.getByRole('link', { name: /^Download/ });
  expect(await downloads.count()).toBe(3);
  const [download] = await Promise.all([page.waitForEvent('download'), downloads.first().click()]);
  await download.saveAs(path('saved'));
  expect(readFileSync(path('saved')).length).toBeGreaterThan(1000);
  await page.setViewportSize(phone);
  await expectToFit(page);
  await keepPicture(page, 'batch-phone');
  // Back to the options, with the same files.
  await page.getByRole('button', { name: 'Change options' }).click();
  await page.getByText('7 files: each gets a run of its own').waitFor();
  // The browser reports the two refusals, and nothing else.
  expect(browser.complaints.filter((text) => !/status of (?:415|429)/.test(text))).toEqual([]);
});

it('tries rows again whose error may pass, one or all of them', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  let runs = 0;
  const media = workWithOwnRuns(folder, async (request, real) => {
    runs += 1;
    if (runs <= 3) throw new Error('a fault that passes');
    return real.run(request);
  });
  const shaky = await services.start({ media });
  const page = await browser.open({ viewport: desk });
  const keys = new Set<string>();
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/try/convert'))
      keys.add(request.headers()['idempotency-key'] ?? '');
  });
  await page.goto(`${shaky.base}/tools/convert`);
  await page.locator('input[type=file]').setInputFiles(['one.wav', 'two.wav', 'three.wav'].map(path));
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  await page.getByRole('button', { name: 'Try 3 again' }).waitFor();
  await keepPicture(page, 'batch-failed');
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize(phone);
  await expectToFit(page);
  await keepPicture(page, 'batch-failed-phone');
  await page.getByRole('button', { name: 'Try again two.wav' }).click();
  const two = page.getByRole('row', { name: /^two\.wav/ });
  await two.getByRole('link', { name: /^Download/ }).waitFor();
  await page.getByRole('button', { name: 'Try 2 again' }).click();
  await page.getByText('3 of 3 ended').waitFor();
  await expect.poll(() => page.getByRole('link', { name: /^Download/ }).count()).toBe(3);
  expect(await page.getByRole('button', { name: /^Try/ }).count()).toBe(0);
  // With the key of a failed run the service would have returned that run.
  expect(keys.size).toBe(6);
  expect(runs).toBe(6);
  browser.forget();
});

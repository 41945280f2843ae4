// The website as people use it: real files, real jobs, in headless Chromium.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desk, expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { offeredTools as tools } from '../../../../src/service/offers/offers.ts';
import { tone } from '../try/support.ts';

/** Each night; of every push only the first flow, since a browser takes seconds of processor time. */
const soaks = process.env['EARSHOT_TEST_SOAK'] === '1';

const services = useServices();
const browser = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-site-'));
const soft = join(folder, 'soft.wav');
let service: TestService;

beforeAll(async () => {
  writeFileSync(soft, Buffer.from(await tone(4).arrayBuffer()));
  service = await services.start();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Integrated loudness by ffmpeg's own meter. */
function loudness(path: string): number {
  const { stderr } = spawnSync(
    'ffmpeg',
    ['-hide_banner', '-nostats', '-i', path, '-af', 'ebur128', '-f', 'null', '-'],
    {
      encoding: 'utf8',
    },
  );
  return Number(/I:\s+(-?[\d.]+) LUFS\s+Threshold/.exec(stderr)?.[1]);
}

describe('a visitor', () => {
  it('drops a file on the front page and has it two clicks later', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const page = await browser.open({ viewport: desk });
    await page.goto(service.base);
    await keepPicture(page, 'front-desk');
    expect(await findings(page)).toEqual([]);
    await page.locator('#front-file').setInputFiles(soft);
    await keepPicture(page, 'front-picked');
    await page.getByRole('button', { name: /^Set loudness/ }).click();
    await page.waitForURL('**/tools/loudness');
    await page.getByText('soft.wav').waitFor();
    await keepPicture(page, 'tool-options');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Set loudness' }).click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
    // Measured on both sides, in the browser: what the service wrote has the target.
    const row = page.getByRole('row', { name: /^Loudness/ });
    await row.waitFor();
    expect((await row.innerText()).replaceAll('−', '-')).toMatch(/-2\d\.\d LUFS\s+-16\.[01] LUFS/);
    await keepPicture(page, 'tool-result');
    expect(await findings(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Download/ }).click(),
    ]);
    const saved = join(folder, 'result.wav');
    await download.saveAs(saved);
    expect(loudness(saved)).toBeCloseTo(-16, 0);
    // The address is that of the run now: a reload shows the same result.
    await page.reload();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'run-reloaded');
    expect(browser.complaints).toEqual([]);
  });

  it.runIf(soaks)('finds every kind of page readable on a phone, in the dark and in German', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const page = await browser.open({ viewport: phone, locale: 'de-DE', colorScheme: 'dark' });
    for (const path of [
      '/',
      '/tools',
      ...tools.map(({ slug }) => `/tools/${slug}`),
      '/docs',
      '/docs/tutorial',
      '/nothing',
    ]) {
      await page.goto(service.base + path);
      await page.setViewportSize(phone);
      expect([path, await findings(page)]).toEqual([path, []]);
      await expectToFit(page);
      await keepPicture(page, `phone-dark-de${path.replaceAll('/', '-')}`);
      await page.setViewportSize({ width: 320, height: 640 });
      await expectToFit(page);
    }
  });

  it.runIf(soaks)('does the same without a script', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const page = await browser.open({ javaScriptEnabled: false, viewport: phone, locale: 'de-DE' });
    await page.goto(`${service.base}/tools/loudness`);
    await keepPicture(page, 'tool-without-script-phone');
    await page.locator('input[type=file]').setInputFiles(soft);
    await page.getByText('Eigene', { exact: true }).click();
    await page.getByLabel('Eigene Lautheit').fill('-20');
    await page.getByRole('button', { name: 'Lautheit einstellen' }).click();
    await page.waitForURL('**/runs/**');
    const link = page.getByRole('link', { name: /^Herunterladen/ });
    await link.waitFor();
    await keepPicture(page, 'run-without-script-phone');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const saved = join(folder, 'without.wav');
    await download.saveAs(saved);
    expect(loudness(saved)).toBeCloseTo(-20, 0);
  });
});

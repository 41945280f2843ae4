// @module-tag slower
// Files of people who are signed in with which something is wrong, and many at once.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { signedIn } from '../../../fixtures/browser/signed-in.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { tone } from '../try/support.ts';

const services = useServices();
const browser = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-trouble-'));
const path = (name: string): string => join(folder, name);
const many = Array.from({ length: 50 }, (_, at) => `take ${String(at + 1).padStart(2, '0')}.wav`);
let service: TestService;

beforeAll(async () => {
  const sound = Buffer.from(await tone(2).arrayBuffer());
  // Each its own bytes: a file of the same bytes would be the same upload.
  for (const [at, name] of [...many, 'good.wav', 'fine.wav'].entries()) {
    const own = Buffer.from(sound);
    own.writeInt16LE(at, 44);
    writeFileSync(path(name), own);
  }
  for (const name of ['empty.wav', 'nothing.mp3']) writeFileSync(path(name), '');
  writeFileSync(path('notes.mp3'), 'Notes of the meeting.\nNothing was decided.\n');
  // As an operator has it.
  service = await services.start({ config: { rateLimitAccount: '600', rateLimitAddress: '120' } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const give = (page: Page, names: readonly string[]): Promise<void> =>
  page.locator('input[type=file]').setInputFiles(names.map(path));

describe('somebody who is signed in', () => {
  it('is told which files are empty before anything is sent, and the others are taken', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn(browser, service);
    await page.goto(`${service.base}/tools/convert`);
    await give(page, ['empty.wav']);
    await page.getByRole('alert').getByText('empty.wav is empty').waitFor();
    await keepPicture(page, 'own-empty');
    await give(page, ['empty.wav', 'good.wav', 'nothing.mp3']);
    const told = page.getByRole('alert');
    await told.getByText('empty.wav is empty').waitFor();
    expect(await told.innerText()).toMatch(/empty\.wav is empty[^]*nothing\.mp3 is empty/);
    await page.getByRole('button', { name: 'Convert for 1 credit' }).waitFor();
    await keepPicture(page, 'own-empty-among');
    expect(await findings(page)).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });

  it('is told which rules are no JSON, and reads the report of others at once', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn(browser, service);
    await page.goto(`${service.base}/tools/check`);
    await page.locator('input[type=file]').first().setInputFiles(path('good.wav'));
    await page.getByText('Own', { exact: true }).click();
    const rules = page.getByRole('textbox', { name: 'Own rules' });
    const start = page.getByRole('button', { name: 'Check for delivery' });
    await rules.fill("[{measure: 'channels'}]");
    await start.click();
    await page.getByText("but received [{measure: 'channels'}] of type string").waitFor();
    browser.forget();
    await page.getByRole('button', { name: 'Change options' }).click();
    await rules.fill('[{"measure": "channels", "max": 0}]');
    await start.click();
    const report = page.getByText('"measure": "channels"');
    await report.waitFor();
    expect(await report.isVisible()).toBe(true);
    expect(browser.complaints).toEqual([]);
  });

  it('sees the whole question behind each button of a file on a phone', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn(browser, service);
    await page.goto(`${service.base}/tools/convert`);
    await give(page, ['good.wav']);
    await page.getByRole('button', { name: 'Convert for 1 credit' }).waitFor();
    await page.setViewportSize(phone);
    await page.goto(`${service.base}/files`);
    const questions = await page.locator('.listed summary').all();
    expect(questions).toHaveLength(2);
    for (const question of questions) await question.click();
    await expectToFit(page);
  });

  it('is told what is no recording beside its name, and the others are run without it', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page, id } = await signedIn(browser, service);
    await page.goto(`${service.base}/tools/convert`);
    await give(page, ['notes.mp3']);
    await page.getByRole('group', { name: 'notes.mp3' }).getByText('this is a text file').waitFor();
    // Nothing more will come, and there is no price to wait for.
    await page.getByText('This cannot be processed. Choose another file.').waitFor();
    await keepPicture(page, 'own-no-recording');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Other file' }).click();

    // It has asked too much in this minute, for a price and for a run.
    const refused: string[] = [];
    const refuse = (route: Route): Promise<void> => {
      const url = route.request().url();
      if (route.request().method() !== 'POST' || refused.includes(url)) return route.continue();
      refused.push(url);
      const error = { code: 'rate_limited', message: 'Too many', retryable: true, details: { retryAfterSeconds: 1 } };
      return route.fulfill({ status: 429, json: { error } });
    };
    await page.route('**/api/v1/quote', refuse);
    await page.route('**/api/v1/jobs', refuse);
    await give(page, ['good.wav', 'notes.mp3', 'fine.wav']);
    const row = page.getByRole('listitem').filter({ hasText: 'notes.mp3' });
    await row.getByText('this is a text file').waitFor();
    await page.getByText('Without notes.mp3, which cannot be processed.').waitFor();
    await keepPicture(page, 'own-no-recording-among');
    expect(await findings(page)).toEqual([]);
    await page.setViewportSize(phone);
    await expectToFit(page);
    await keepPicture(page, 'own-no-recording-among-phone');
    await page.getByRole('button', { name: 'Convert for 2 credits' }).click();
    await page.getByText('2 of 2 ended').waitFor();
    expect(await page.getByRole('link', { name: /^Download/ }).count()).toBe(2);
    expect((await service.stores.accounts.get(id))?.balance).toBe(998);
    expect(refused).toHaveLength(2);
    expect(browser.complaints.filter((text) => !text.includes('status of 429'))).toEqual([]);
    browser.forget();
  });

  it('has fifty files at once run, every one', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page, id } = await signedIn(browser, service);
    // As long as a test may: beside other tests they take minutes.
    page.setDefaultTimeout(500_000);
    await page.goto(`${service.base}/tools/convert`);
    await page.getByText('Files of up to 5.4 GB each, 100 at once.').waitFor();
    await give(page, many);
    await page.getByText('50 files: each gets a run of its own').waitFor();
    await keepPicture(page, 'own-fifty-sending');
    await page.getByText('WAV', { exact: true }).click();
    await page.getByRole('button', { name: 'Convert for 50 credits' }).click();
    await page.getByText('50 of 50 ended').waitFor();
    await keepPicture(page, 'own-fifty');
    for (const name of many) {
      const row = page.getByRole('row', { name: new RegExp(`^${name}`) });
      expect([name, await row.getByRole('link', { name: /^Download/ }).count()]).toEqual([name, 1]);
    }
    expect((await service.stores.accounts.get(id))?.balance).toBe(950);
    await page.locator('.balance').getByText('950 credits', { exact: true }).waitFor();
    expect(browser.complaints).toEqual([]);
  });

  it('is told which files are over the limit', slow, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn(browser, service);
    await page.route('**/api/v1/files', (route) => route.abort());
    await page.goto(`${service.base}/tools/convert`);
    await give(page, [...many, ...many, 'good.wav', 'fine.wav']);
    await page.getByRole('alert').getByText('At most 100 files at once. Left out: good.wav, fine.wav').waitFor();
    await page.getByText('100 files: each gets a run of its own').waitFor();
    await keepPicture(page, 'own-too-many');
    browser.forget();
  });
});

// Links on a tool's page, for people who are signed in: the service fetches the file.
import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { signedIn } from '../../../fixtures/browser/signed-in.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { type LinkServer, startLinkServer } from '../../../fixtures/links/server.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { slower } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { tone } from '../try/support.ts';

const services = useServices();
const browser = useBrowser();
const address = 'https://media.example.com';
let world: LinkServer;
let service: TestService;
/** Answers that wait. */
const held: ServerResponse[] = [];

beforeAll(async () => {
  const sound = Buffer.from(await tone(90).arrayBuffer());
  world = await startLinkServer((request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('.wav')) return void response.setHeader('content-type', 'audio/wav').end(sound);
    if (path === '/page')
      return void response.setHeader('content-type', 'text/html').end('<html><p>Press play</p></html>');
    if (path === '/held.mp3') return void held.push(response);
    return void response.writeHead(404).end();
  });
  service = await services.start({ links: createLinkFetcher({ network: world.network }) });
});
afterAll(() => world.close());

const paste = async (page: Page, link: string): Promise<void> => {
  await page.getByRole('button', { name: 'Paste a link' }).click();
  await page.getByRole('textbox', { name: 'Public https link to the file' }).fill(link);
  await page.keyboard.press('Enter');
};

describe('a link of somebody who is signed in', () => {
  it('is fetched, priced, run for all of it, and given on', slower, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn(browser, service);
    await page.goto(`${service.base}/tools/convert`);
    await paste(page, `${address}/a%20talk%20at%20100%25.wav`);
    await page.getByText('a talk at 100%.wav', { exact: true }).waitFor();
    const start = page.getByRole('button', { name: 'Convert for 2 credits' });
    await start.waitFor();
    await page.getByText('1:30: 2 credits. You have 1,000 credits.').waitFor();
    await keepPicture(page, 'own-link');
    expect(await findings(page)).toEqual([]);
    // A reload finds the file, which is with the service now.
    await page.reload();
    await start.click();
    await page.getByRole('link', { name: /^Download/ }).waitFor();
    await page.getByRole('slider', { name: 'Position' }).waitFor();
    expect(browser.complaints).toEqual([]);
  });

  it('is taken although a % in its name begins no character', slower, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn(browser, service);
    await page.goto(`${service.base}/tools/convert`);
    await paste(page, `${address}/100%.wav`);
    await page.getByText('100%.wav', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Convert for 2 credits' }).waitFor();
    expect(browser.complaints).toEqual([]);
  });

  it('that leads to no recording is said to, beside its name', slower, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn(browser, service);
    await page.goto(`${service.base}/tools/convert`);
    await paste(page, 'http://media.example.com/talk.wav');
    await page.getByRole('alert').getByText('Expected a public link that begins with https://').waitFor();
    await page.getByRole('textbox', { name: 'Public https link to the file' }).fill(`${address}/gone.mp3`);
    await page.getByRole('button', { name: 'Use this link' }).click();
    const file = page.getByRole('group', { name: 'gone.mp3' });
    await file
      .getByRole('alert')
      .getByText(/status 404/)
      .waitFor();
    // What was wrong with the other one is over.
    expect(await page.getByText('Expected a public link').count()).toBe(0);
    await keepPicture(page, 'own-link-gone');
    expect(await findings(page)).toEqual([]);
    await file.getByRole('button', { name: 'Try again' }).click();
    await file
      .getByRole('alert')
      .getByText(/status 404/)
      .waitFor();
    await page.setViewportSize(phone);
    await expectToFit(page);
    await keepPicture(page, 'own-link-gone-phone');

    const cases = [
      [`${address}/page`, 'page', /this is a text file/],
      ['https://127.0.0.1/talk.wav', 'talk.wav', /not a public address/],
    ] as const;
    for (const [link, name, text] of cases) {
      await page.getByRole('button', { name: 'Other file' }).click();
      await paste(page, link);
      await page.getByRole('group', { name }).getByRole('alert').getByText(text).waitFor();
      await keepPicture(page, `own-link-${name}`);
    }
    browser.forget();
  });

  it('is not waited for when another file is taken', slower, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const { page } = await signedIn(browser, service, 1000, { locale: 'de-DE' });
    await page.goto(`${service.base}/tools/convert`);
    await page.getByRole('button', { name: 'Link einfügen' }).click();
    await page.getByRole('textbox', { name: 'Öffentlicher https-Link' }).fill(`${address}/held.mp3`);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Wird vom Link geholt').waitFor();
    await expect.poll(() => held.length).toBe(1);
    await keepPicture(page, 'own-link-fetched');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Andere Datei' }).click();
    await page.getByRole('button', { name: 'Link einfügen' }).click();
    await page.getByRole('textbox', { name: 'Öffentlicher https-Link' }).fill(`${address}/other.wav`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Umwandeln für 2 Credits' }).waitFor();
    expect(browser.complaints).toEqual([]);
  });
});

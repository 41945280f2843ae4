// @module-tag slower
// Ways that people take through the website, in presses: docs/figures.md has them beside the peers'. The episode's is
// in episode.test.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest';
import type { JsonObject } from '../../../../src/library/core/json.ts';
import { requireTool } from '../../../../src/library/tools/registry.ts';
import { toSrt } from '../../../../src/library/speech/transcript/write/subtitles.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { presses, type Presses } from '../../../fixtures/browser/presses.ts';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { type MailServer, startMailServer } from '../../../fixtures/mail/server.ts';
import { ffmpeg, needFfmpeg } from '../../../fixtures/media/media.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { workWithOwnRuns } from '../../../fixtures/service/own-runs.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import {
  atStripe,
  sessionOf,
  startStripe,
  stripeEvent,
  type StripeStandIn,
} from '../../../fixtures/stripe/stand-in.ts';
import { tone } from '../try/support.ts';
import { personOf } from './editor/person.ts';
import { speak, workThatHears } from './editor/spoken.ts';

const services = useServices();
const browser = useBrowser();
const folder = temporaryFolder('earshot-walks-');
const said = speak(['So um this is the first take.', '| We uh keep the second one.'], [1, 2]);
const hears = workThatHears(said.transcript, folder);
const convert = requireTool('convert');
let service: TestService;
let post: MailServer;
let stripe: StripeStandIn;
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  writeFileSync(path('talk.wav'), said.wav);
  writeFileSync(path('long.wav'), Buffer.from(await tone(200).arrayBuffer()));
  for (const name of ['one.wav', 'two.wav', 'three.wav'])
    writeFileSync(path(name), Buffer.from(await tone(2).arrayBuffer()));
  [post, stripe] = await Promise.all([startMailServer(), startStripe()]);
  // The transcript also as subtitles, as a real run has them.
  const media = workWithOwnRuns(folder, async (request, real) => {
    // Cleaning is a copy here: what tools do to sound is tested where they are.
    const cleaned = { ...request, tool: 'convert_audio' as const, options: convert.parseOptions({}) as JsonObject };
    const work = request.tool === 'remove_noise' ? cleaned : request;
    const done = await (request.tool === 'transcribe_audio' ? hears.run(request) : real.run(work));
    const [text] = done.outputs;
    if (request.tool !== 'transcribe_audio' || text === undefined) return done;
    const file = join(request.outputDir, 'talk.srt');
    writeFileSync(file, toSrt(said.transcript));
    const srt = { ...text, path: file, filename: 'talk.srt', contentType: 'application/x-subrip', format: 'srt' };
    return { ...done, outputs: [text, srt] };
  });
  service = await services.start({
    media,
    config: {
      ...atStripe(stripe),
      smtpUrl: post.url,
      mailFrom: 'Earshot <noreply@audio.test>',
      rateLimitAddress: '100000',
    },
  });
});
afterAll(async () => {
  post.close();
  await stripe.close();
});

/** Made in so many presses. */
const walk = (title: string, most: number, way: (counted: Presses, context: TestContext) => Promise<void>): void =>
  it(`${title} in ${most} presses`, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const counted = presses();
    await way(counted, context);
    expect(counted.count).toBe(most);
  });

/** Nothing but runs takes long, and those are waited for. */
async function opened(...options: Parameters<typeof browser.open>): Promise<Page> {
  const page = await browser.open(...options);
  page.setDefaultTimeout(30_000);
  return page;
}

const button = (page: Page, name: RegExp | string) => page.getByRole('button', { name });
const pick = (page: Page, name: RegExp) => page.locator('#front-picks').getByRole('button', { name });
const front = (page: Page) => page.locator('#front-file');

/** Waits for the file of a link, and gives its bytes. */
async function saved(page: Page, act: Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), act]);
  await download.saveAs(path('saved'));
  return readFileSync(path('saved'));
}

walk('subtitles of a film are made and saved', 4, async (counted, context) => {
  needFfmpeg(context);
  ffmpeg('-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=6', '-i', path('talk.wav'), '-shortest', path('film.mp4'));
  const page = await opened();
  await page.goto(service.base);
  await counted.choose(front(page), path('film.mp4'));
  await counted.press(pick(page, /^Transcribe/));
  await page.waitForURL('**/tools/transcribe');
  await counted.press(button(page, /^Transcribe/));
  const srt = page.getByRole('link', { name: /^Download SRT/ });
  await srt.waitFor();
  expect((await saved(page, counted.press(srt))).toString()).toContain('We uh keep the second one.');
});

walk('a visitor has a long file cleaned, and hears it before and after', 5, async (counted) => {
  const page = await opened();
  await page.goto(service.base);
  await counted.choose(front(page), path('long.wav'));
  await counted.press(pick(page, /^Remove noise/));
  await page.waitForURL('**/tools/remove-noise');
  await counted.press(button(page, /^Remove noise/));
  // Shown after the run without a press: what it was, drawn and measured as what it is.
  await page
    .getByRole('row', { name: /^Loudness/ })
    .getByRole('cell')
    .nth(2)
    .waitFor({ timeout: 240_000 });
  await keepPicture(page, 'walk-compared');
  // What is heard: whether both play, and which of them is not silent.
  const heard = (): Promise<readonly (readonly [isPlaying: boolean, isHeard: boolean])[]> =>
    page.evaluate('[...document.querySelectorAll("#live audio")].map((each) => [!each.paused, each.volume > 0])');
  await counted.press(page.locator('#live').getByRole('button', { name: 'Play', exact: true }));
  await expect.poll(heard, { timeout: 30_000 }).toEqual([
    [true, true],
    [true, false],
  ]);
  await counted.press(page.getByText('As recorded'));
  await expect.poll(heard, { timeout: 30_000 }).toEqual([
    [true, false],
    [true, true],
  ]);
  const link = page.getByRole('link', { name: /^Download/ });
  expect((await saved(page, link.click())).length).toBeGreaterThan(10_000);
});

walk('an edit goes over a reload, a second device and a restart, to a rendering', 7, async (counted) => {
  const own = await personOf(service, browser, said.wav);
  const page = await own.open();
  await counted.press(button(page, /^Transcribe/));
  await page.getByText('the first take.').waitFor();
  await counted.press(button(page, 'Cut: um'));
  await expect.poll(async () => (await own.edit())['cut']).toEqual([[1, 2]]);
  await counted.counted(page.reload());
  await button(page, 'Undo: Cut “um”').waitFor();
  const again = await services.start({ stores: service.stores, worker: false, config: { data: service.config.data } });
  const device = await own.open({ viewport: phone, hasTouch: true }, again.base);
  await counted.press(device.locator('.ed-shut'));
  await counted.press(button(device, 'Cut: uh'));
  await counted.press(button(device, /^Render for/));
  const rendered = device.getByRole('link', { name: /^Download/ });
  await rendered.waitFor();
  expect((await saved(device, counted.press(rendered))).subarray(0, 4).toString()).toBe('RIFF');
});

walk('three files go through a tool', 4, async (counted) => {
  const page = await opened();
  await page.goto(service.base);
  await counted.choose(front(page), ['one.wav', 'two.wav', 'three.wav'].map(path));
  await counted.press(pick(page, /^Set loudness/));
  await page.waitForURL('**/tools/loudness');
  await page.getByText('3 files: each gets a run of its own').waitFor();
  await counted.press(button(page, 'Set loudness'));
  await page.getByText('3 of 3 ended').waitFor({ timeout: 240_000 });
  const links = page.getByRole('link', { name: /^Download/ });
  expect(await links.count()).toBe(3);
  expect((await saved(page, counted.press(links.first()))).length).toBeGreaterThan(1000);
});

walk('a person signs in by the code of a mail that another device has', 5, async (counted) => {
  const page = await opened();
  await page.goto(service.base);
  await counted.press(page.getByRole('link', { name: 'Sign in' }));
  await counted.type(page.getByLabel('Your e-mail address'), 'ann@example.org');
  await counted.press(button(page, 'Send me a mail'));
  await expect.poll(() => post.last()).toMatch(/\d{3} \d{3}/);
  const code = /^\s{4}(\d{3} \d{3})$/m.exec(post.last())?.[1] ?? '';
  await counted.type(page.getByLabel('Code of the mail'), code);
  await counted.press(page.locator('form[action$="/sign-in/code"] button'));
  await page.waitForURL('**/files');
  expect(await findings(page)).toEqual([]);
});

walk('a payment is left, found again and made, and the whole file is saved', 7, async (counted) => {
  const page = await opened();
  await page.goto(`${service.base}/tools/remove-noise`);
  await counted.choose(page.locator('input[type=file]'), path('long.wav'));
  await counted.press(button(page, /^Remove noise/));
  const rest = page.getByRole('link', { name: 'Process the whole file' });
  await rest.waitFor({ timeout: 240_000 });
  await counted.press(rest);
  await page.waitForURL('**/finish/**');
  const finish = page.url();
  await counted.press(button(page, /^Pay \$/));
  await page.waitForURL((url) => url.host !== new URL(finish).host);
  // Back without having paid.
  await counted.counted(page.goto(finish));
  await page.getByText('You came back without paying').waitFor();
  await keepPicture(page, 'walk-came-back');
  expect(await findings(page)).toEqual([]);
  await counted.press(button(page, /^Pay \$/));
  await page.waitForURL((url) => url.host !== new URL(finish).host);
  const { items } = await service.service.payments.list({ cursor: null, limit: 1 });
  const [payment] = items;
  const { body, headers } = stripeEvent('checkout.session.completed', sessionOf(payment?.id ?? '', 500));
  await fetch(`${service.base}/payments/stripe`, { method: 'POST', headers, body });
  // The checkout leads there.
  await page.goto(stripe.sessions.at(-1)?.form.get('success_url') ?? '');
  const whole = page.getByRole('link', { name: /^Download/ });
  await whole.waitFor({ timeout: 240_000 });
  expect((await saved(page, counted.press(whole))).length).toBeGreaterThan(10_000);
  browser.forget();
});

walk('on a phone a file is converted', 4, async (counted) => {
  const page = await opened({ viewport: phone, hasTouch: true, isMobile: true });
  await page.goto(service.base);
  await counted.choose(front(page), path('one.wav'));
  await counted.press(pick(page, /^Convert/));
  await page.waitForURL('**/tools/convert');
  await counted.press(button(page, /^Convert/));
  const link = page.getByRole('link', { name: /^Download/ });
  await link.waitFor();
  await expectToFit(page);
  expect((await saved(page, counted.press(link))).length).toBeGreaterThan(1000);
});

walk('by the keyboard alone a file is converted', 24, async (counted) => {
  const page = await opened();
  await page.goto(`${service.base}/tools/convert`);
  await counted.choose(page.locator('input[type=file]'), path('two.wav'));
  const start = button(page, /^Convert$/);
  await expect.poll(() => start.isEnabled()).toBe(true);
  /** Tab to what has that name, then Enter. */
  const go = async (name: RegExp): Promise<void> => {
    for (let tabs = 0; tabs < 40; tabs++) {
      await counted.key(page, 'Tab');
      if (name.test(await page.evaluate<string>('document.activeElement?.textContent ?? ""'))) break;
    }
    await counted.key(page, 'Enter');
  };
  await go(/^Convert$/);
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  await saved(page, go(/^Download/));
});

walk('in German a file is cleaned', 4, async (counted) => {
  const page = await opened({ locale: 'de-DE' });
  await page.goto(service.base);
  await counted.choose(front(page), path('three.wav'));
  await counted.press(pick(page, /^Rauschen entfernen/));
  await page.waitForURL('**/tools/remove-noise');
  await counted.press(button(page, /^Rauschen entfernen/));
  const link = page.getByRole('link', { name: /^Herunterladen/ });
  await link.waitFor();
  expect((await saved(page, counted.press(link))).length).toBeGreaterThan(1000);
  await keepPicture(page, 'walk-german');
});

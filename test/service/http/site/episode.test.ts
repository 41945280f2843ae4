// @module-tag slower
// Two tracks to an episode, as people make one: files are dropped, roles are guessed, the price is known, and one press
// makes it.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { presses } from '../../../fixtures/browser/presses.ts';
import { signedIn } from '../../../fixtures/browser/signed-in.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { ffmpeg, needFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { plainSessionCookie } from '../../../../src/service/http/interface/session-cookie.ts';
import { episodeWork } from './episode-work.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';

const services = useServices();
const browser = useBrowser();
const file = scratch();
let service: TestService;
const gate = Promise.withResolvers<void>();
beforeAll(async () => {
  service = await services.start({ media: episodeWork(temporaryFolder('earshot-episode-'), gate.promise) });
});

/** Auphonic's multitrack takes five. */
const mostPresses = 6;

interface Tracks {
  readonly host: string;
  readonly guest: string;
  readonly theme: string;
}

/** Two people, each on a track of the whole length, and three notes of music under them. */
function tracks(): Tracks {
  const [host, guest, theme] = ['host.wav', 'guest.wav', 'theme.mp3'].map((name) => file(name));
  const spoken = ['-ac', '1', '-ar', '48000', '-t', '24'];
  ffmpeg('-i', recording('jfk.wav'), '-af', 'volume=-8dB,apad', ...spoken, host ?? '');
  ffmpeg('-i', recording('austen-0870.wav'), '-af', 'adelay=12000:all=1,apad', ...spoken, guest ?? '');
  const notes = 'aevalsrc=0.15*sin(2*PI*220*t)+0.1*sin(2*PI*277*t)+0.1*sin(2*PI*330*t):s=48000:d=30';
  ffmpeg('-f', 'lavfi', '-i', notes, '-b:a', '96k', theme ?? '');
  return { host: host ?? '', guest: guest ?? '', theme: theme ?? '' };
}

const choose = (page: Page): Locator => page.locator('input#choose');
const roleOf = (page: Page, name: string): Locator => page.getByRole('combobox', { name: `What ${name} is` });

describe('an episode', () => {
  it('is made of two tracks and music in five presses, compared, and downloaded whole', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    needFfmpeg(context);
    const { host, guest, theme } = tracks();
    const { page, id } = await signedIn(browser, service);
    const counted = presses();
    await page.goto(`${service.base}/episode`);
    await keepPicture(page, 'episode-empty');
    expect(await findings(page)).toEqual([]);
    await counted.choose(choose(page), [host, guest, theme]);
    expect(await roleOf(page, 'theme.mp3').inputValue()).toBe('music');
    expect(await roleOf(page, 'host.wav').inputValue()).toBe('voice');
    const make = page.getByRole('button', { name: /^Make the episode for \d+ credits$/ });
    await expect.poll(() => make.isEnabled(), { timeout: 60_000 }).toBe(true);
    await page.locator('.lane canvas').nth(2).waitFor();
    await keepPicture(page, 'episode-tracks');
    expect(await findings(page)).toEqual([]);
    // A reload finds the files, which are with the service by now.
    await page.reload();
    await expect.poll(() => make.isEnabled(), { timeout: 60_000 }).toBe(true);
    const price = Number(/(\d+) credits/.exec(await make.innerText())?.[1]);
    await counted.press(make);
    await page.waitForURL('**/chains/chain_*');
    await page.getByRole('button', { name: 'Tell me when it is done' }).waitFor();
    await keepPicture(page, 'episode-running');
    expect(await findings(page)).toEqual([]);
    // Found again on the page where it was made, also in another window.
    const address = page.url();
    const other = await page.context().newPage();
    await other.goto(`${service.base}/episode`);
    expect(await other.locator('#recent + ul a').getAttribute('href')).toBe(new URL(address).pathname);
    await keepPicture(other, 'episode-recent');
    await other.close();
    gate.resolve();
    await page.getByRole('heading', { name: 'Results' }).waitFor();
    await page.getByRole('row', { name: 'Loudness −16.0 LUFS' }).waitFor();
    expect(await page.getByText('Lowered under voices').count()).toBe(1);
    await counted.press(page.getByRole('button', { name: 'Play', exact: true }).first());
    await counted.press(page.getByRole('button', { name: 'Compare before and after host.wav' }));
    await page.getByText('As recorded').first().waitFor();
    await page.locator('.track canvas').first().waitFor();
    await keepPicture(page, 'episode-done');
    expect(await findings(page)).toEqual([]);
    const download = page.getByRole('link', { name: /^Download/ });
    const [saved] = await Promise.all([page.waitForEvent('download'), counted.press(download)]);
    expect(counted.count).toBeLessThanOrEqual(mostPresses);
    expect(counted.count).toBe(5);
    const path = file('episode.wav');
    await saved.saveAs(path);
    expect(readFileSync(path).subarray(0, 4).toString()).toBe('RIFF');
    expect((await service.stores.accounts.get(id))?.balance).toBeLessThanOrEqual(1000);
    expect((await service.stores.accounts.get(id))?.balance).toBeGreaterThanOrEqual(1000 - price);
    // What each person said is written down, and all of it comes as one archive.
    const all = page.getByRole('link', { name: 'All as one archive (ZIP)' });
    const [zip] = await Promise.all([page.waitForEvent('download'), all.click()]);
    const archive = file('all.zip');
    await zip.saveAs(archive);
    const inside = namesIn(readFileSync(archive));
    expect(inside.map((name) => name.replace(/^host\.podcast/, ''))).toEqual(
      ['.wav', '-clean-1.wav', '-clean-2.wav', '.json', '.srt', '.txt', '.vtt', '.report.json'].toSorted(),
    );
    // Chapters are set on what was said.
    await page.getByRole('button', { name: 'Chapter at 0:12' }).click();
    await page.getByRole('textbox', { name: 'Title of the chapter at 0:12' }).fill('Emma');
    await page.getByRole('button', { name: 'Chapter at 0:00' }).click();
    const notes = page.getByRole('button', { name: 'For show notes' });
    const [lines] = await Promise.all([page.waitForEvent('download'), notes.click()]);
    expect(lines.suggestedFilename()).toBe('host.podcast.chapters.txt');
    expect(readFileSync(await lines.path(), 'utf8')).toBe('0:00 And so my fellow Americans.\n0:12 Emma\n');
    // They are with the account: a reload, or another browser, has them.
    const kept = async (): Promise<unknown> => (await service.stores.accountNotes.list(id, 'chapters'))[0]?.value;
    await expect.poll(kept).toMatchObject({ chapters: [{ startSeconds: 0.3 }, { title: 'Emma' }] });
    await page.reload();
    await page.getByRole('textbox', { name: 'Title of the chapter at 0:12' }).waitFor();
    await page.setViewportSize(phone);
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepPicture(page, 'episode-done-phone');
    expect(await findings(page)).toEqual([]);
    await expectToFit(page);
    // The same again, with other files.
    await page.getByRole('link', { name: 'The same with other files' }).click();
    await page.waitForURL('**/episode?again=*');
    expect(await service.stores.accountNotes.list(id, 'order')).toHaveLength(1);
    expect(browser.complaints).toEqual([]);
  });

  it('keeps the tracks and the roles of a visitor over the sign-in', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    needFfmpeg(context);
    const { host, guest, theme } = tracks();
    const page = await browser.open({ viewport: phone });
    await page.goto(`${service.base}/episode`);
    await choose(page).setInputFiles([host, guest, theme]);
    await roleOf(page, 'guest.wav').selectOption('effects');
    await page.getByText(/^At most \d+ credits/).waitFor();
    await page.locator('.lane canvas').nth(2).waitFor();
    await expectToFit(page);
    await keepPicture(page, 'episode-visitor-phone');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in and go on' }).click();
    await page.waitForURL('**/sign-in?next=*');
    const { account } = await service.account(1000);
    const { token } = await service.operator.createSession(account.id, 3600);
    await page.context().addCookies([{ name: plainSessionCookie, value: token, url: service.base }]);
    await page.goto(`${service.base}/episode`);
    expect(await roleOf(page, 'guest.wav').inputValue()).toBe('effects');
    expect(await roleOf(page, 'theme.mp3').inputValue()).toBe('music');
    await page.getByText('Uploaded').nth(2).waitFor();
    await page.getByRole('button', { name: /^Make the episode for \d+ credits$/ }).waitFor();
  });
});

it('prices a chain of one’s own while it is written', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  needFfmpeg(context);
  const { page } = await signedIn(browser, service);
  await page.goto(`${service.base}/recipes/own`);
  await page.getByText('Shown as soon as the files and the chain are here.').first().waitFor();
  await choose(page).setInputFiles(tracks().host);
  await page.locator('.lane canvas').first().waitFor();
  const field = page.getByRole('textbox', { name: 'The chain, as JSON' });
  // No key leaves the field.
  await field.fill('{"steps": [{"tool": "remove_noise"}]');
  await page.getByRole('alert').filter({ hasText: 'This is no JSON' }).waitFor();
  await field.press('End');
  await page.keyboard.type('}');
  await page.getByRole('button', { name: /^Run the chain for \d+ credits?$/ }).waitFor();
  expect(await page.getByText('This is no JSON').count()).toBe(0);
  expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
});

/** Names of the files in an archive, sorted, out of its directory. */
function namesIn(zip: Buffer): readonly string[] {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  const count = zip.readUInt16LE(end + 10);
  const names: string[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let entry = 0; entry < count; entry += 1) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    names.push(zip.subarray(at + 46, at + 46 + (name ?? 0)).toString());
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return names.toSorted();
}

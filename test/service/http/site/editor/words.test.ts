// Words, speakers and captions in the editor, up to what is exported.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../../fixtures/browser/site.ts';
import { skipHere } from '../../../../fixtures/missing-part.ts';
import { slower } from '../../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { personOf } from './person.ts';
import { speak, workThatHears } from './spoken.ts';

const services = useServices();
const browser = useBrowser();
const said = speak(
  [
    'We met Mister Mayer at the station, and Mayer said that all of the trains were late on that day.',
    'The mayer of the town was there too.',
    '| Thanks to Mayer.',
  ],
  [1, 2, 3],
);
let folder = '';
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-words-'));
  service = await services.start({ media: workThatHears(said.transcript, folder) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let saves = 0;
async function exported(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('button', { name, exact: true }).click();
    })(),
  ]);
  const path = join(folder, `${saves++}-${download.suggestedFilename()}`);
  await download.saveAs(path);
  await page.keyboard.press('Escape');
  return path;
}
const captionsIn = (path: string): readonly string[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n\n')
    .map((caption) => caption.split('\n').slice(1).join(' '));

it('replaces words, joins speakers and divides captions, and exports what is shown', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const own = await personOf(service, browser, said.wav);
  const page = await own.open({ viewport: { width: 1280, height: 720 } });

  await page.getByRole('button', { name: /^Transcribe/ }).click();
  await page.getByText('at the station').waitFor();

  // Whole words, with their marks and capitals, in one step.
  await page.keyboard.press('Control+f');
  await page.getByRole('searchbox').fill('mayer');
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByLabel('Replace by').fill('maier');
  await keepPicture(page, 'editor-replace');
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Replace all' }).click();
  await page.getByText('Thanks to Maier.').waitFor();
  await expect
    .poll(async () => (await own.edit())['texts'])
    .toEqual({ 3: 'Maier', 8: 'Maier', 21: 'maier', 30: 'Maier.' });
  await page.keyboard.press('Escape');

  await page.getByRole('tab', { name: /^Speakers/ }).click();
  await page.getByLabel('Speaker 3 is the same voice as').selectOption({ label: 'Speaker 1' });
  await page.getByLabel('Name of speaker 1').fill('Anna');
  await page.keyboard.press('Tab');
  const text = readFileSync(await exported(page, 'Transcript TXT'), 'utf8');
  expect(text).toMatch(/^Anna: We met[\s\S]*Speaker 2: The[\s\S]*Anna: Thanks to Maier\.\n$/);

  // Captions: divided at the word that is heard, joined again; times by a field and by an edge that is dragged.
  await page.getByRole('tab', { name: /^Captions/ }).click();
  const split = page.getByRole('button', { name: /^Split the caption/ });
  await split.first().waitFor();
  const before = captionsIn(await exported(page, 'Subtitles SRT'));
  await page.locator('#ed-text').focus();
  await page.keyboard.press('Home');
  for (let word = 0; word < 2; word++) await page.keyboard.press('ArrowRight');
  await split.first().click();
  const divided = captionsIn(await exported(page, 'Subtitles SRT'));
  expect(divided).toHaveLength(before.length + 1);
  expect(divided[1]).toMatch(/^00:00:01,\d+ --> \S+ Mister Maier/);
  await keepPicture(page, 'editor-captions');
  expect(await findings(page)).toEqual([]);
  const end = page.getByLabel(/^Ends at, seconds: Anna: We met/);
  const shown = Number(await end.inputValue());
  await end.fill(String(shown - 0.3));
  await page.keyboard.press('Tab');
  const moved = captionsIn(await exported(page, 'Subtitles SRT'));
  const seconds = (caption: string | undefined): number =>
    Number(
      /--> 00:00:(\d\d),(\d+)/
        .exec(caption ?? '')
        ?.slice(1)
        .join('.'),
    );
  expect(seconds(moved[0])).toBeCloseTo(shown - 0.3, 1);
  const edge = page.locator('.ed-lane > div').first().locator('i').last();
  const box = (await edge.boundingBox()) ?? expect.fail('the edge is not shown');
  await page.mouse.move(box.x + 3, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x - 17, box.y + 5, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Number(await end.inputValue())).toBeLessThan(shown - 0.31);
  await page.getByRole('button', { name: /^Join with the next: Anna: We met/ }).click();
  const joined = captionsIn(await exported(page, 'Subtitles SRT'));
  expect(joined).toHaveLength(before.length);

  // Whoever reads the document finds the same words.
  const docx = await exported(page, 'Transcript DOCX');
  const program =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; ' +
    'print(z.read("word/document.xml").decode())';
  const { stdout } = spawnSync('python3', ['-c', program, docx], { encoding: 'utf8' });
  expect(stdout).toContain('Thanks to Maier.');
  expect(readFileSync(await exported(page, 'Subtitles TTML'), 'utf8')).toContain('Maier');
  expect(readFileSync(await exported(page, 'Subtitles ASS'), 'utf8')).toContain('Dialogue: 0,');

  // On a phone, in German and in the dark.
  await expect.poll(async () => (await own.edit())['breaks']).toMatchObject({ 2: 0 });
  const small = await own.open({ viewport: phone, hasTouch: true, colorScheme: 'dark', locale: 'de-DE' });
  await small.getByRole('button', { name: 'Vorschläge und Schnitte' }).click();
  await small.getByRole('tab', { name: /^Untertitel/ }).click();
  await small
    .getByRole('button', { name: /^Untertitel .* teilen$/ })
    .first()
    .waitFor();
  await keepPicture(small, 'editor-captions-phone');
  expect(await findings(small)).toEqual([]);
  await expectToFit(small);
  expect(browser.complaints.filter((complaint) => !complaint.includes('status of 409'))).toEqual([]);
});

it('shows a film beside the text, as wide as is wished or not at all', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const film = join(folder, 'film.mp4');
  const given = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=12:duration=14', '-f', 'lavfi', '-i'];
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', film];
  expect(spawnSync('ffmpeg', ['-v', 'error', ...given, 'sine=duration=14', ...coded]).status).toBe(0);
  const own = await personOf(service, browser, readFileSync(film));
  const page = await own.open({ viewport: { width: 1280, height: 720 } });
  await page.getByRole('button', { name: /^Transcribe/ }).click();
  await page.getByText('at the station').waitFor();
  const width = async (): Promise<number> => (await page.locator('.ed-video').boundingBox())?.width ?? 0;
  const before = await width();
  const text = (await page.locator('#ed-text').boundingBox()) ?? expect.fail('there is no text');
  const sentence = (await page.locator('[data-sentence="2"]').boundingBox()) ?? expect.fail('there is no sentence');
  expect(sentence.y + sentence.height).toBeLessThanOrEqual(text.y + text.height);
  // The lists below the film keep some lines.
  const list = (await page.getByRole('tabpanel').boundingBox()) ?? expect.fail('there is no list');
  expect(list.height).toBeGreaterThan(100);
  await page.getByRole('separator').focus();
  for (let at = 0; at < 3; at++) await page.keyboard.press('ArrowLeft');
  await expect.poll(width).toBe(before + 96);
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Hide film' }).click();
  expect(await page.locator('.ed-video').isVisible()).toBe(false);
  // As it was left.
  await page.reload();
  await page.getByRole('button', { name: 'Show film' }).click();
  await expect.poll(width).toBe(before + 96);
});

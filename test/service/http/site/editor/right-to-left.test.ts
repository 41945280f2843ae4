// A transcript that runs from right to left, in an editor whose own language runs from left to right.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { desk, expectToFit, findings, keepPicture, phone, useBrowser } from '../../../../fixtures/browser/site.ts';
import { skipHere } from '../../../../fixtures/missing-part.ts';
import { slower } from '../../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { speak, workThatHears } from './spoken.ts';

const services = useServices();
const browser = useBrowser();
const said = speak(
  [
    'أهلا بكم في برنامج Earshot رقم 12 من اليوم.',
    '| نعم نعم نبدأ الآن، ثم نسمع صوت المدينة القديمة وما يقوله الناس عن السوق الكبير في وسطها.',
    'شكرا لكم.',
  ],
  [1, 1, 2],
  'ar',
);
const words = said.transcript.sentences.flatMap((sentence) => (sentence.words ?? []).map(({ text }) => text));
let folder = '';
let path = '';
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-rtl-'));
  path = join(folder, 'talk.wav');
  await writeFile(path, said.wav);
  service = await services.start({ media: workThatHears(said.transcript, folder) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Runs in the page: the middle of the first text that has the wanted one. */
const middleOf = `(wanted) => {
  const walker = document.createTreeWalker(document.querySelector('#ed-text'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const at = node.textContent.indexOf(wanted);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + wanted.length);
    const { x, y, width, height } = range.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  }
  throw new Error(wanted + ' is not in the page');
}`;
/** Where a text is drawn, px. */
const placeOf = (page: Page, text: string): Promise<Place> =>
  page.evaluate<Place>(`(${middleOf})(${JSON.stringify(text)})`);
const directionOf = (page: Page, selector: string): Promise<string> =>
  page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).direction`);

/** Without quotation marks and the marks that isolate it. */
const selected = async (page: Page): Promise<string> =>
  (await page.locator('.ed-sel b').innerText()).replaceAll(/[\u201C\u201D\u2066-\u2069]/g, '');

it('is read, selected and cut from right to left', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open({ viewport: desk });
  await page.goto(`${service.base}/edit`);
  await page.locator('#ed-file').setInputFiles(path);
  await page.getByRole('button', { name: /^Transcribe the first/ }).click();
  await page.getByText('شكرا').waitFor();
  await keepPicture(page, 'rtl-desk');
  expect(await findings(page)).toEqual([]);

  // Words in their order, each further left; Latin and digits stay readable within.
  const [first, second, latin, digits] = await Promise.all(
    [words[0] ?? '', words[1] ?? '', 'Earshot', '12'].map((text) => placeOf(page, text)),
  );
  expect(first?.x).toBeGreaterThan(second?.x ?? 0);
  expect(second?.x).toBeGreaterThan(latin?.x ?? 0);
  expect(latin?.x).toBeGreaterThan(digits?.x ?? 0);
  // Also where a sentence begins with a pause, whose unit is a Latin letter.
  const [yes, begin] = await Promise.all([placeOf(page, 'نعم'), placeOf(page, 'نبدأ')]);
  expect(yes.x).toBeGreaterThan(begin.x);
  expect(await directionOf(page, '[data-sentence="1"] p[lang]')).toBe('rtl');
  // The length of a pause is written as elsewhere on the page: the number, then its unit.
  expect(await directionOf(page, '.gap')).toBe('ltr');

  // The left arrow goes on, the right one goes back.
  await page.locator('#ed-text').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  expect(await selected(page)).toBe(words[1]);
  await page.keyboard.press('Shift+ArrowLeft');
  expect(await selected(page)).toBe(`${words[1]} ${words[2]}`);
  await page.keyboard.press('ArrowRight');
  expect(await selected(page)).toBe(words[1]);

  // Drawn with the mouse, from the right to the left.
  const [from, to] = await Promise.all([placeOf(page, words[0] ?? ''), placeOf(page, words[2] ?? '')]);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  expect(await selected(page)).toBe(words.slice(0, 3).join(' '));
  await keepPicture(page, 'rtl-selected');
  await page.keyboard.press('Delete');
  // One stretch, in which the word that is heard looks different.
  expect((await page.locator('del').allTextContents()).join(' ')).toBe(words.slice(0, 3).join(' '));
  await keepPicture(page, 'rtl-cut');
  expect(await findings(page)).toEqual([]);

  // A word is corrected in a field that runs as the text does.
  const word = await placeOf(page, 'المدينة');
  await page.mouse.click(word.x, word.y);
  await page.keyboard.press('e');
  const field = page.getByRole('textbox', { name: 'Correct' });
  expect(await directionOf(page, '.fixbox input')).toBe('rtl');
  await keepPicture(page, 'rtl-correct');
  await field.fill('البلدة');
  await page.keyboard.press('Enter');
  await page.locator('#ed-text').getByText('البلدة').waitFor();

  await page.setViewportSize(phone);
  await expectToFit(page);
  await keepPicture(page, 'rtl-phone');
  expect(browser.complaints).toEqual([]);
});

it('is shown from right to left on the page that wrote it', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open({ viewport: desk });
  await page.goto(`${service.base}/tools/transcribe`);
  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByRole('button', { name: 'Transcribe' }).click();
  const written = page.getByRole('region', { name: 'Transcript' });
  await written.getByText('شكرا لكم.').waitFor();
  expect(await written.locator('.who').allTextContents()).toEqual(['Speaker 1', 'Speaker 2']);
  expect(await directionOf(page, '.written p[lang]')).toBe('rtl');
  expect(await findings(page)).toEqual([]);
  await keepPicture(page, 'rtl-result');
  await page.setViewportSize(phone);
  await expectToFit(page);
  await keepPicture(page, 'rtl-result-phone');
  expect(browser.complaints).toEqual([]);
});

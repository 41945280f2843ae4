// From an address to a rendered file without a mouse: keys alone, the focus seen at every step, and never lost.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { findings, keepPicture, useBrowser } from '../../../fixtures/browser/site.ts';
import { type MailServer, startMailServer } from '../../../fixtures/mail/server.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { slower } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { personOf } from './editor/person.ts';
import { speak, workThatHears } from './editor/spoken.ts';

const services = useServices();
const browser = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-keyboard-'));
const path = join(folder, 'talk.wav');
const said = speak(['So um this is the first take.', '| And that is all.']);
let service: TestService;
let post: MailServer;

beforeAll(async () => {
  writeFileSync(path, said.wav);
  post = await startMailServer();
  service = await services.start({
    media: workThatHears(said.transcript, folder),
    config: { smtpUrl: post.url, mailFrom: 'Earshot <noreply@audio.test>' },
  });
});
afterAll(() => {
  post.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Focused {
  /** What a screen reader says it is. */
  readonly name: string;
  /** Is there an outline around it, or around what shows it, inside the window? */
  readonly isSeen: boolean;
}

/** null: nothing has the focus. */
const focused = (page: Page): Promise<Focused | null> =>
  page.evaluate<Focused | null>(`(() => {
    const at = document.activeElement;
    if (at === null || at === document.body) return null;
    const labels = [...(at.labels ?? [])];
    const by = document.getElementById(at.getAttribute('aria-labelledby') ?? '');
    const name = at.getAttribute('aria-label') ?? by?.textContent ??
      (labels.map((label) => label.textContent).join(' ') || at.textContent);
    const shows = [at, ...labels, at.closest('label, .with-unit, .seg label, .fixbox')];
    const isSeen = shows.some((each) => {
      if (each === null || each === undefined) return false;
      const { outlineStyle, outlineWidth, opacity, visibility } = getComputedStyle(each);
      const { width, height, top, bottom } = each.getBoundingClientRect();
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && opacity !== '0' && visibility === 'visible' &&
        width > 8 && height > 8 && bottom > 0 && top < innerHeight;
    });
    return { name: name.replaceAll(/\\s+/g, ' ').trim(), isSeen };
  })()`);

/** The focus after something has changed: it is somewhere, and seen. */
async function expectFocus(page: Page, name: RegExp | string): Promise<void> {
  await expect.poll(async () => (await focused(page))?.name ?? 'nothing').toMatch(name);
  expect(await focused(page)).toMatchObject({ isSeen: true });
}

/** Tab until the element of this name has the focus; each one on the way has to be seen. */
async function tabTo(page: Page, name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    // The browser's own controls come after the last one of the page.
    if (now === null) continue;
    expect(now).toMatchObject({ isSeen: true });
    if (name.test(now.name)) return;
    passed.push(now.name);
  }
  expect.fail(`Tab does not come to ${String(name)} but to ${passed.join(', ')}`);
}

async function pressOn(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

async function download(page: Page): Promise<Buffer> {
  const [saved] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  const place = join(folder, `saved-${saved.suggestedFilename()}`);
  await saved.saveAs(place);
  return readFileSync(place);
}

it('leads from an address to a key, a tool and a rendered edit', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open();
  page.setDefaultTimeout(20_000);
  // Chromium must know that choosers are answered here before the first one opens.
  page.on('filechooser', () => undefined);
  await page.goto(service.base);
  await pressOn(page, /^Sign in$/);
  await page.waitForURL('**/sign-in');
  await tabTo(page, /e-mail address/);
  await page.keyboard.type('ann@example.org');
  await page.keyboard.press('Enter');
  await page.getByText('ann@example.org').waitFor();
  await expect.poll(() => post.last()).toContain('/sign-in/');
  // As from the mail program.
  await page.goto(service.base + (/\/sign-in\/\w+/.exec(post.last())?.[0] ?? ''));
  // Past the bar, which has a link of that name.
  await pressOn(page, /^Skip/);
  await pressOn(page, /^Sign in$/);
  await page.waitForURL('**/files');

  await pressOn(page, /^Keys$/);
  await page.waitForURL('**/keys');
  await tabTo(page, /name/i);
  await page.keyboard.type('Laptop');
  await page.keyboard.press('Enter');
  await page.locator('.once').waitFor();
  await expectFocus(page, /Laptop/);
  await keepPicture(page, 'keyboard-key');
  const key = (await page.locator('.once output').textContent()) ?? '';
  const headers = { authorization: `Bearer ${key}` };
  expect((await fetch(`${service.base}/api/v1/account`, { headers })).status).toBe(200);

  await pressOn(page, /^Tools$/);
  await page.waitForURL('**/tools');
  await pressOn(page, /^Set loudness/);
  await page.waitForURL('**/tools/loudness');
  await tabTo(page, /^Choose/);
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
  await chooser.setFiles(path);
  await expectFocus(page, 'talk.wav');
  await keepPicture(page, 'keyboard-chosen');
  // Not before the file is there and measured.
  await page.getByRole('button', { name: /^Set loudness, free$/ }).waitFor();
  await pressOn(page, /^Set loudness, free$/);
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  await expectFocus(page, /^talk\.loudness\.wav$/);
  await keepPicture(page, 'keyboard-result');
  await tabTo(page, /^Download/);
  expect((await download(page)).length).toBeGreaterThan(1000);
  // The options again, with the same file.
  await pressOn(page, /^Change options$/);
  await expectFocus(page, 'talk.wav');
  await pressOn(page, /^Set loudness, free$/);
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  await pressOn(page, /^Edit by its words/);

  await page.waitForURL('**/edit/file_*');
  await pressOn(page, /^Transcribe/);
  await expectFocus(page, /^Transcript of/);
  await page.getByText('the first take.').waitFor();
  await keepPicture(page, 'keyboard-words');
  // Decided in the list: the other choice takes the place of the one that was pressed.
  await pressOn(page, /^Cut: um/);
  await expectFocus(page, /^Restore: um/);
  await page.keyboard.press('Enter');
  await expectFocus(page, /um/);
  await tabTo(page, /^Transcript of/, 'Shift+Tab');

  await page.keyboard.press('Home');
  for (let word = 0; word < 2; word++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Delete');
  // The word that is heard is an element of its own.
  const cut = async (): Promise<string> => (await page.locator('del').allTextContents()).join(' ');
  await expect.poll(cut).toBe('this is');
  await page.keyboard.press('Control+z');
  await expect.poll(cut).toBe('');
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(cut).toBe('this is');
  await expectFocus(page, /^Transcript of/);
  await keepPicture(page, 'keyboard-cut');
  expect(await findings(page)).toEqual([]);

  // Through the button, which has nothing left to undo then.
  await tabTo(page, /^Undo/);
  await page.keyboard.press('Enter');
  await expect.poll(cut).toBe('');
  await expectFocus(page, /./);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(cut).toBe('this is');

  await pressOn(page, /^Render/);
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  await expectFocus(page, /Download/);
  await keepPicture(page, 'keyboard-rendered');
  await tabTo(page, /^Download/);
  const rendered = await download(page);
  // "this is" is at least the two tones and the gap between them: 0.7 s.
  const whole = said.wav.length - 44;
  expect(whole - (rendered.length - rendered.indexOf('data') - 8)).toBeGreaterThan(0.69 * 16_000 * 2);
  await pressOn(page, /^Go on editing$/);
  await expectFocus(page, /^Transcript of/);
  expect(browser.complaints).toEqual([]);
});

it(
  'keeps the focus after an error, and goes back where it was when a dialog or a field is closed',
  slower,
  async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const page = await browser.open();
    page.setDefaultTimeout(20_000);
    const broken = join(folder, 'broken.wav');
    writeFileSync(broken, 'no sound at all');
    await page.goto(`${service.base}/tools/convert`);
    await page.locator('input[type=file]').focus();
    await page.locator('input[type=file]').setInputFiles(broken);
    await expectFocus(page, 'broken.wav');
    await pressOn(page, /^Convert$/);
    await page.getByRole('alert').waitFor();
    await expectFocus(page, /broken\.wav/);
    await keepPicture(page, 'keyboard-failed');
    await pressOn(page, /^Choose another file$/);
    await expectFocus(page, /^Choose/);
    expect(await findings(page)).toEqual([]);
    browser.forget();

    const own = await personOf(service, browser, said.wav);
    const editor = await own.open();
    editor.setDefaultTimeout(20_000);
    await pressOn(editor, /^Transcribe/);
    await editor.getByText('the first take.').waitFor();
    await expectFocus(editor, /^Transcript of/);
    /** Opened by a key or a button, and closed again by Escape. */
    const goesBack = async (open: () => Promise<void>, within: RegExp, back: RegExp): Promise<void> => {
      await open();
      await expectFocus(editor, within);
      await editor.keyboard.press('Escape');
      await expectFocus(editor, back);
    };
    await goesBack(() => editor.keyboard.press('?'), /^Close$/, /^Transcript of/);
    await goesBack(() => editor.keyboard.press('Control+f'), /^Find/, /^Transcript of/);
    await editor.keyboard.press('ArrowRight');
    await goesBack(() => editor.keyboard.press('e'), /^Correct/, /^Transcript of/);
    for (const name of [/^Versions$/, /^Keyboard$/]) {
      await tabTo(editor, name, 'Shift+Tab');
      await goesBack(() => editor.keyboard.press('Enter'), /./, name);
      await editor.locator('#ed-text').focus();
    }
    await tabTo(editor, /^Export/, 'Shift+Tab');
    await editor.keyboard.press('Enter');
    await editor.getByRole('button', { name: /SRT/ }).waitFor();
    await editor.keyboard.press('Escape');
    await expectFocus(editor, /^Export/);
    // A sentence that moves, and the step that is undone.
    await editor.locator('#ed-text').focus();
    await editor.keyboard.press('Alt+ArrowDown');
    await expectFocus(editor, /^Transcript of/);
    await editor.keyboard.press('Control+z');
    await expectFocus(editor, /^Transcript of/);
    expect(browser.complaints).toEqual([]);
  },
);

// How much of the transcript a phone shows while something is selected in it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../../fixtures/browser/site.ts';
import { skipHere } from '../../../../fixtures/missing-part.ts';
import { slower } from '../../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { speak, workThatHears } from './spoken.ts';

const services = useServices();
const browser = useBrowser();
const said = speak(
  Array.from(
    { length: 12 },
    (_, at) => `So um this is sentence ${at} of a long and | rather rambling talk, we we say.`,
  ),
  Array.from({ length: 12 }, (_, at) => 1 + (Math.floor(at / 3) % 2)),
);
let folder = '';
let path = '';
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-phone-'));
  path = join(folder, 'a-talk-with-a-long-name-about-nothing-in-particular.wav');
  await writeFile(path, said.wav);
  service = await services.start({ media: workThatHears(said.transcript, folder) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const screens = [
  { name: 'phone', viewport: phone, colorScheme: 'light', locale: 'en-GB' },
  { name: 'phone-dark', viewport: phone, colorScheme: 'dark', locale: 'de-DE' },
  { name: 'small', viewport: { width: 320, height: 568 }, colorScheme: 'light', locale: 'de-DE' },
] as const;

/** Share of the screen in which the transcript is seen: nothing lies over it. */
const seen = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const text = document.querySelector('#ed-text');
    const { left, width } = text.getBoundingClientRect();
    let rows = 0;
    for (let y = 0; y < innerHeight; y++)
      if (text.contains(document.elementFromPoint(left + width / 2, y))) rows += 1;
    return rows / innerHeight;
  })()`);

for (const { name, ...window } of screens)
  it(`shows half a screen of transcript while words are selected: ${name}`, slower, async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const page = await browser.open({ ...window, hasTouch: true });
    await page.goto(`${service.base}/edit`);
    await page.locator('#ed-file').setInputFiles(path);
    await page.locator('.ed-empty .btn.go').click();
    await page.getByText('rather rambling').first().waitFor();
    await keepPicture(page, `editor-${name}-read`);
    // Enough to read: what has the rest can be put away.
    expect(await seen(page)).toBeGreaterThan(0.3);
    const lists = page.locator('.ed-shut');
    await lists.click();
    await page.locator('.ed-rows .item').first().waitFor();
    await keepPicture(page, `editor-${name}-lists`);
    await lists.click();
    // Holding a word selects it.
    const word = page.locator('[data-sentence="0"] p[lang]');
    await word.dispatchEvent('pointerdown', await touchOn(page));
    await page.locator('.ed-sel').waitFor();
    await word.dispatchEvent('pointercancel');
    expect(await seen(page)).toBeGreaterThan(0.5);
    await keepPicture(page, `editor-${name}-selected`);
    await page.locator('#ed-text').focus();
    for (let at = 0; at < 6; at++) await page.keyboard.press('Shift+ArrowRight');
    await keepPicture(page, `editor-${name}-selected-more`);
    expect(await seen(page)).toBeGreaterThan(0.5);
    // What acts on the words is within the screen, and large enough for a thumb.
    for (const button of await page.locator('.ed-sel button').all()) {
      const { x, y, width, height } = (await button.boundingBox()) ?? expect.fail('a button is not drawn');
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
      expect(x + width).toBeLessThanOrEqual(window.viewport.width);
      expect(y + height).toBeLessThanOrEqual(window.viewport.height);
    }
    await expectToFit(page);
    expect(await findings(page)).toEqual([]);
  });

async function touchOn(page: Page): Promise<object> {
  const box = (await page.locator('[data-sentence="0"] p[lang]').boundingBox()) ?? expect.fail('no such sentence');
  return { pointerType: 'touch', pointerId: 5, button: 0, clientX: box.x + 60, clientY: box.y + 10, bubbles: true };
}

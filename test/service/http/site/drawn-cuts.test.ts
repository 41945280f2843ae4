// @module-tag slower
// Stretches drawn on a waveform and heard before a run: with the hand, with buttons, and with the keyboard alone.
import { beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { ffmpeg, needFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';

const services = useServices();
let service: TestService;
beforeAll(async () => {
  service = await services.start();
});
const browser = useBrowser();
const file = scratch();

it('draws, writes, plays and sends the stretches that are to go', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  needFfmpeg(context);
  const path = file('ten.wav');
  ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=300:duration=10', path);
  const page = await browser.open();
  await page.goto(`${service.base}/tools/cut`);
  await page.locator('input[type=file]').setInputFiles(path);
  const wave = page.locator('.ranges').getByRole('slider');
  await wave.waitFor();
  const box = await wave.boundingBox();
  if (box === null) throw new Error('The waveform has no place');
  const field = page.locator('textarea[name=ranges]');
  // With the hand: a fifth of ten seconds.
  await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 20);
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
  await page.mouse.up();
  const [from = 0, to = 0] = (await field.inputValue()).split('-').map((time) => Number(time.split(':')[1]));
  expect([Math.abs(from - 3) < 0.05, Math.abs(to - 5) < 0.05]).toEqual([true, true]);
  // With the keyboard: from 7 to 8 s.
  await wave.focus();
  await page.keyboard.press('Home');
  for (let press = 0; press < 7; press++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('i');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('o');
  expect((await field.inputValue()).split('\n')[1]).toBe('0:07.00-0:08.00');
  // What is typed is drawn.
  await field.fill('1-2\n3-5\n7-8');
  expect(await page.locator('.range-marks i:not([hidden])').count()).toBe(3);
  await keepPicture(page, 'cuts-drawn');
  // Playing leaves out what will be removed: from 2.9 s the head goes over what is between 3 and 5 s.
  await wave.focus();
  await page.keyboard.press('Home');
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  for (let press = 0; press < 10; press++) await page.keyboard.press(',');
  await page.keyboard.press('Space');
  const seen: number[] = [];
  const at = async (): Promise<number> => {
    const now = Number(await wave.getAttribute('aria-valuenow'));
    seen.push(now);
    return now;
  };
  await expect.poll(at, { timeout: 10_000, interval: 20 }).toBeGreaterThan(5);
  expect(seen.filter((now) => now > 3.3 && now < 4.9)).toEqual([]);
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: /^Remove 0:01/ }).click();
  expect((await field.inputValue()).split('\n')).toHaveLength(2);
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cut', exact: true }).click();
  const cells = page.getByRole('row', { name: /^Length/ }).getByRole('cell');
  await cells.first().waitFor();
  // Three of ten seconds are gone.
  expect(Number((await cells.allInnerTexts())[1]?.replace(/[^\d.]/g, ''))).toBeCloseTo(7, 1);
  // Dragged to the desktop, it is saved under its name.
  const dragged = await page.evaluate<string>(`(() => {
    const event = new DragEvent('dragstart', { bubbles: true, dataTransfer: new DataTransfer() });
    document.querySelector('.panel-foot a[download]').dispatchEvent(event);
    return event.dataTransfer.getData('DownloadURL');
  })()`);
  expect(dragged).toMatch(/^audio\/wav:ten\.cut\.wav:http:\/\/127\.0\.0\.1:/);
  expect(browser.complaints).toEqual([]);
});

it('has room on a phone', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  needFfmpeg(context);
  const path = file('short.wav');
  ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=300:duration=5', path);
  const page = await browser.open({ viewport: phone, locale: 'de-DE', colorScheme: 'dark' });
  await page.goto(`${service.base}/tools/cut`);
  await page.locator('input[type=file]').setInputFiles(path);
  await page.locator('.ranges').getByRole('slider').waitFor();
  for (const button of ['Hier beginnen', 'Hier enden']) await page.getByRole('button', { name: button }).isVisible();
  await expectToFit(page);
  expect(await findings(page)).toEqual([]);
  await keepPicture(page, 'cuts-phone');
});

// @module-tag slower
// The first screen in a browser: nothing moves while it arrives, the example plays and is edited, and its sample goes
// to a tool and to the editor.
import { beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { desk, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';

const services = useServices();
let service: TestService;
beforeAll(async () => {
  service = await services.start();
});
const browser = useBrowser();

const watch = `window.shifts = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts += value;
}).observe({ type: 'layout-shift', buffered: true });`;

it.for([
  ['desk', desk],
  ['phone', phone],
] as const)('moves nothing while it arrives, nor does a page of a tool: %s', async ([, viewport], context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  for (const path of ['/', '/tools/remove-noise', '/tools/cut', '/tools/align-script', '/tools/join']) {
    const page = await browser.open({ viewport });
    await page.addInitScript(watch);
    await page.goto(service.base + path);
    await page.locator('.ready').waitFor();
    await page.evaluate('document.fonts.ready');
    await page.waitForTimeout(100);
    // 0.14 on a desk and 0.22 on a phone before.
    expect([path, (await page.evaluate<number>('window.shifts')) < 0.1]).toEqual([path, true]);
    await page.close();
  }
});

it('plays the example, without what a press cut out of it', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open();
  await page.goto(service.base);
  const example = page.locator('#example');
  await example.getByRole('button', { name: 'Play', exact: true }).click();
  await example.getByRole('button', { name: 'Pause' }).waitFor();
  const seen: number[] = [];
  const at = async (): Promise<number> => {
    seen.push(Number(await example.getByRole('slider').getAttribute('aria-valuenow')));
    return seen.at(-1) ?? 0;
  };
  await expect.poll(at, { timeout: 10_000, interval: 30 }).toBeGreaterThan(0.3);
  await example.getByRole('button', { name: 'Pause' }).click();
  const um = example.getByRole('button', { name: 'Um,' });
  expect(await um.getAttribute('aria-pressed')).toBe('true');
  await example.getByText('Result').click();
  await keepPicture(page, 'first-screen-b');
  // By keyboard: on to the next word, which is cut as well.
  await um.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  expect(await example.locator('.word.is-cut').allInnerTexts()).toEqual(['Um,', 'this', 'Uh,']);
  expect(await example.locator('[data-hatches] rect').count()).toBe(3);
  // From 2 s, over what is cut: 2.9 to 3.68 s.
  await example.getByRole('slider').focus();
  await page.keyboard.press('Home');
  for (let press = 0; press < 2; press++) await page.keyboard.press('ArrowRight');
  seen.length = 0;
  await page.keyboard.press('Space');
  await expect.poll(at, { timeout: 10_000, interval: 30 }).toBeGreaterThan(3.7);
  await page.keyboard.press('Space');
  expect(seen.filter((now) => now > 3 && now < 3.6)).toEqual([]);
  expect(await findings(page)).toEqual([]);
  expect(browser.complaints).toEqual([]);
});

it('takes the sample to a tool and to the editor', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open();
  await page.goto(service.base);
  await page.getByRole('button', { name: 'Take our sample' }).click();
  await page
    .locator('#front-picks')
    .getByRole('button', { name: /^Remove noise/ })
    .click();
  await page.waitForURL('**/tools/remove-noise');
  await page.getByText('talk.opus').first().waitFor();
  await page.goto(service.base);
  // With its words, so that the editor asks for no run.
  await page.getByRole('button', { name: 'Open it in the editor' }).click();
  await page.waitForURL('**/edit');
  await page.getByText('slightly').first().waitFor();
  expect(browser.complaints).toEqual([]);
});

it('opens a pick in a tab of its own with Ctrl or the middle button, each with the file', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open();
  await page.goto(service.base);
  await page.getByRole('button', { name: 'Take our sample' }).click();
  const pick = page.locator('#front-picks').getByRole('button', { name: /^Remove noise/ });
  for (const options of [{ modifiers: ['Control' as const] }, { button: 'middle' as const }]) {
    const [tab] = await Promise.all([page.context().waitForEvent('page'), pick.click(options)]);
    await tab.waitForURL('**/tools/remove-noise');
    await tab.getByText('talk.opus').first().waitFor();
    await tab.close();
    expect(new URL(page.url()).pathname).toBe('/');
  }
});

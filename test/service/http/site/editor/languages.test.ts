// Two languages of one recording beside each other.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
const said = speak(['Das ist der erste Satz.', '| Und hier kommt der zweite.', 'Danach noch einer.'], [1, 2, 2], 'de');
/** Two sentences for the second and the third: each lies beside the one in whose time its middle is. */
const translated = speak(['This is sentence one.', '| And here the second comes.', 'Then one more.'], [1, 2, 2], 'en');
let folder = '';
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-languages-'));
  const media = workThatHears(said.transcript, folder, undefined, translated.transcript);
  service = await services.start({ media });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it(
  'a translation is shown beside the words, sentence by sentence, and on a phone in their place',
  slower,
  async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const own = await personOf(service, browser, said.wav);
    await own.press('transcript', { script: null });
    const body = { tool: 'transcribe_audio', file_id: own.file, translate: true, idempotency_key: 'english' };
    const { id } = await own.api('jobs', { method: 'POST', body: JSON.stringify(body) });
    await expect.poll(async () => (await own.api(`jobs/${id}`)).status, { timeout: 30_000 }).toBe('succeeded');

    const page = await own.open({ viewport: { width: 1280, height: 720 } });
    page.setDefaultTimeout(20_000);
    // The latest is the translation: what is edited is what is spoken.
    await page.getByText('Das ist der erste Satz.').waitFor();
    await page.getByLabel('Beside it').selectOption({ label: 'English' });
    const row = page.locator('.sent', { hasText: 'Und hier kommt der zweite.' });
    await row.locator('.ed-other', { hasText: 'And here the second comes.' }).waitFor();
    expect(await row.locator('.ed-other').getAttribute('lang')).toBe('en');
    const [left, right] = [
      await row.locator('p:not(.who, .ed-other)').boundingBox(),
      await row.locator('.ed-other').boundingBox(),
    ];
    expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0) - 1);
    expect(await page.locator('.ed-switch').isVisible()).toBe(false);

    // What is cut whole is cut there, too.
    await page
      .locator('.sent', { hasText: 'Danach noch einer.' })
      .locator('[data-word]')
      .first()
      .click({ position: { x: 6, y: 12 } });
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Delete');
    await page.locator('.ed-other del', { hasText: 'Then one more.' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await keepPicture(page, 'editor-languages');

    const small = await own.open({ viewport: phone, hasTouch: true, locale: 'de-DE' });
    small.setDefaultTimeout(20_000);
    await small.getByLabel('Daneben').selectOption({ label: 'Englisch' });
    const spoken = small.getByText('Das ist der erste Satz.');
    const other = small.getByText('This is sentence one.');
    await spoken.waitFor();
    expect(await other.isVisible()).toBe(false);
    await small.getByText('Englisch', { exact: true }).last().click();
    await other.waitFor();
    expect(await spoken.isVisible()).toBe(false);
    await expectToFit(small);
    expect(await findings(small)).toEqual([]);
    await keepPicture(small, 'editor-languages-phone');
    expect(browser.complaints).toEqual([]);
  },
);

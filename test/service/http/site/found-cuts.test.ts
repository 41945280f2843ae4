// @module-tag slower
// What a tool would cut, heard and chosen before a paid run: pauses found in the browser, a list of fillers, and two
// sounds against each other.
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { ffmpeg, needFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { workWithOwnRuns } from '../../../fixtures/service/own-runs.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const services = useServices();
const browser = useBrowser();
const file = scratch();

const cuts = [
  { id: 'c1', kind: 'filler', text: 'um', startSeconds: 1, endSeconds: 1.4 },
  { id: 'c2', kind: 'filler', text: 'uh', startSeconds: 3, endSeconds: 3.5 },
];
const asked: unknown[] = [];
let service: TestService;
beforeAll(async () => {
  const folder = temporaryFolder('earshot-found-');
  service = await services.start({
    media: workWithOwnRuns(folder, async (request, real) => {
      if (request.tool !== 'remove_fillers') return real.run(request);
      asked.push(request.options);
      const isList = request.options['dry_run'] === true;
      const [source] = Object.values(request.inputs).flat();
      const filename = isList ? 'talk.json' : 'talk.wav';
      const path = join(request.outputDir, filename);
      if (isList) await writeFile(path, JSON.stringify({ format: 'earshot-transcript', version: 1, sentences: [] }));
      else await copyFile(source?.path ?? '', path);
      const facts = isList
        ? { contentType: 'application/json', format: 'json', durationSeconds: null, hasAudio: false }
        : { contentType: 'audio/wav', format: 'wav', durationSeconds: 5, hasAudio: true };
      return {
        outputs: [{ path, filename, ...facts, hasVideo: false, media: null }],
        result: { language: 'en', cutsFound: 2, cuts },
        processedSeconds: 5,
        warnings: [],
      };
    }),
  });
});

/** Tones of a second and a half with silence between, from 2 to 4 and from 6 to 9 s. */
function withPauses(): string {
  const path = file('pauses.wav');
  const isLoud = 'lt(t,2)+between(t,4,6)+gt(t,9)';
  ffmpeg('-f', 'lavfi', '-i', `aevalsrc='0.3*sin(2*PI*300*t)*(${isLoud})+0.0005*sin(2*PI*1000*t)':d=11`, path);
  return path;
}

it('shows the pauses of a recording, plays each, and cuts those that are not kept', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  needFfmpeg(context);
  const page = await browser.open();
  await page.goto(`${service.base}/tools/remove-silence`);
  await page.locator('input[type=file]').first().setInputFiles(withPauses());
  const rows = page.locator('.found li');
  await rows.nth(1).waitFor();
  const times = (await rows.allInnerTexts()).map((text) =>
    [...text.matchAll(/0:(\d\d\.\d\d)/g)].map(([, seconds]) => Number(seconds)),
  );
  // Of each, a quarter of a second stays; as the tool itself finds them, 4.4 s.
  for (const [at, [from, to]] of [
    [2.125, 3.875],
    [6.125, 8.875],
  ].entries()) {
    expect(Math.abs((times[at]?.[0] ?? 0) - (from ?? 0))).toBeLessThan(0.05);
    expect(Math.abs((times[at]?.[1] ?? 0) - (to ?? 0))).toBeLessThan(0.05);
  }
  await page.getByText(/^2 cuts, 4\.4 s shorter$/).waitFor();
  expect(await findings(page)).toEqual([]);
  await keepPicture(page, 'pauses-found');
  // Played without them: the head is past the first after a moment.
  const wave = page.locator('.ranges').getByRole('slider');
  await wave.focus();
  for (const key of ['Home', 'ArrowRight']) await page.keyboard.press(key);
  await page.keyboard.press('Space');
  await expect
    .poll(async () => Number(await wave.getAttribute('aria-valuenow')), { timeout: 10_000 })
    .toBeGreaterThan(3.8);
  await page.keyboard.press('Space');
  await rows.nth(0).getByRole('checkbox').uncheck();
  await page.getByText(/^1 cut, 2\.[78] s shorter$/).waitFor();
  await page.getByRole('button', { name: 'Remove silence', exact: true }).click();
  const cells = page.getByRole('row', { name: /^Length/ }).getByRole('cell');
  await cells.first().waitFor();
  // Only the second is gone.
  expect(Number((await cells.allInnerTexts())[1]?.replace(/[^\d.]/g, ''))).toBeCloseTo(11 - 2.75, 1);
  expect(browser.complaints).toEqual([]);
});

it('lists fillers, plays them, and goes on to the run that makes the chosen ones', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  needFfmpeg(context);
  const path = file('talk.wav');
  ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=300:duration=5', path);
  const page = await browser.open({ viewport: phone, colorScheme: 'dark' });
  await page.goto(`${service.base}/tools/remove-fillers`);
  await page.locator('input[type=file]').first().setInputFiles(path);
  await page.locator('[data-option=dry_run] input[type=checkbox]').check();
  const start = page.getByRole('button', { name: 'Remove fillers', exact: true });
  await start.click();
  const rows = page.locator('.found li');
  await rows.nth(1).waitFor();
  await rows.nth(0).getByText('um').waitFor();
  await rows.nth(0).getByRole('button', { name: /^Play/ }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await rows.nth(0).getByRole('checkbox').uncheck();
  await expectToFit(page);
  expect(await findings(page)).toEqual([]);
  await keepPicture(page, 'fillers-listed-phone');
  await page.getByRole('button', { name: 'Go on with these cuts' }).click();
  await start.click();
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  expect(asked).toHaveLength(2);
  expect(asked[1]).toMatchObject({ dry_run: false, cut_ids: ['c2'] });
  expect(browser.complaints).toEqual([]);
});

it('moves a new sound against that of the film by keys and by hand', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  needFfmpeg(context);
  const [film, sound] = [file('film.webm'), file('new.wav')];
  ffmpeg('-f', 'lavfi', '-i', 'testsrc=s=160x90:d=4', '-f', 'lavfi', '-i', 'sine=d=4', '-c:v', 'libvpx', film);
  ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=300:duration=3', sound);
  const page = await browser.open();
  await page.goto(`${service.base}/tools/swap-audio`);
  await page.locator('input[type=file]').first().setInputFiles(film);
  await page.locator('input[type=file]').last().setInputFiles(sound);
  const moved = page.getByRole('slider', { name: 'New sound' });
  await moved.waitFor();
  await moved.focus();
  for (const key of ['Shift+ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  const field = page.locator('input[name=offset_seconds]');
  expect(await field.inputValue()).toBe('1.02');
  const box = await moved.boundingBox();
  if (box === null) throw new Error('The waveform has no place');
  // A quarter of four seconds to the left.
  await page.mouse.move(box.x + box.width * 0.6, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
  await page.mouse.move(box.x + box.width * 0.35, box.y + 20);
  await page.mouse.up();
  expect(Math.abs(Number(await field.inputValue()) - 0.02)).toBeLessThan(0.05);
  await page.locator('.offset').getByRole('button', { name: 'Play' }).click();
  const place = page.getByRole('slider', { name: 'Position' });
  await expect
    .poll(async () => Number(await place.getAttribute('aria-valuenow')), { timeout: 10_000 })
    .toBeGreaterThan(1);
  await page.getByRole('radio', { name: 'New sound' }).check();
  await page.getByRole('button', { name: 'Pause' }).click();
  expect(await findings(page)).toEqual([]);
  await keepPicture(page, 'swap-offset');
  expect(browser.complaints).toEqual([]);
});

// Sentences in another order: by keys and by drag, as heard, exported and rendered.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { findings, keepPicture, useBrowser } from '../../../../fixtures/browser/site.ts';
import { ffmpeg, needFfmpeg } from '../../../../fixtures/media/media.ts';
import { skipHere } from '../../../../fixtures/missing-part.ts';
import { slow } from '../../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { personOf } from './person.ts';
import { rate, speak, workThatHears } from './spoken.ts';

const services = useServices();
const browser = useBrowser();
const said = speak(['One two three.', 'Four five six.', 'Seven eight nine.', 'Ten eleven twelve.'], [1, 1, 2, 2]);
const words = said.transcript.sentences.flatMap((sentence) => sentence.words);
let folder = '';
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-moving-'));
  service = await services.start({ media: workThatHears(said.transcript, folder) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const orderIn = (page: Page): Promise<(string | null)[]> =>
  page.locator('#ed-text [data-sentence]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-sentence')));

let saves = 0;
async function saved(page: Page, press: () => Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  const place = join(folder, `${saves++}-${download.suggestedFilename()}`);
  await download.saveAs(place);
  return readFileSync(place);
}
async function exported(page: Page, name: string): Promise<string> {
  const text = await saved(page, async () => {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name, exact: true }).click();
  });
  await page.keyboard.press('Escape');
  return text.toString();
}

/** The tone of a stretch, by its zero crossings. */
function hertz(samples: Int16Array, from: number, to: number): number {
  let [ups, first, last] = [-1, 0, 0];
  for (let frame = Math.round(from * rate); frame < to * rate; frame++) {
    if (!((samples[frame - 1] ?? 0) < 0 && (samples[frame] ?? 0) >= 0)) continue;
    ups += 1;
    last = frame;
    if (ups === 0) first = frame;
  }
  return (ups * rate) / (last - first);
}

/** Stretches of the recording as they follow each other, with an equal-power crossfade of 20 ms at each seam. */
function joined(keeps: readonly (readonly [number, number])[]): Float64Array {
  const out = new Float64Array(keeps.reduce((sum, [from, to]) => sum + to - from, 0));
  const half = 0.01 * rate;
  let place = 0;
  for (const [index, [from, to]] of keeps.entries()) {
    for (let frame = from; frame < to; frame++) out[place + frame - from] = said.samples[frame] ?? 0;
    place += to - from;
    const next = keeps[index + 1]?.[0];
    if (next !== undefined) seams.push({ place, to, next });
  }
  for (const seam of seams.splice(0))
    for (let step = 0; step < 2 * half; step++) {
      const angle = (((step + 0.5) / (2 * half)) * Math.PI) / 2;
      out[seam.place - half + step] =
        Math.cos(angle) * (said.samples[seam.to - half + step] ?? 0) +
        Math.sin(angle) * (said.samples[seam.next - half + step] ?? 0);
    }
  return out;
}
const seams: { place: number; to: number; next: number }[] = [];

it('moves sentences by keys and by drag, and renders, exports and plays them so', slow, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const own = await personOf(service, browser, said.wav);
  const page = await own.open({ viewport: { width: 1280, height: 720 } });
  await page.getByRole('button', { name: /^Transcribe/ }).click();
  await page.getByText('Ten eleven twelve.').waitFor();

  // By keys: the sentence of the word that one is at, two places up; then undone and done again.
  await page.locator('#ed-text').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Alt+ArrowUp');
  await page.keyboard.press('Alt+ArrowUp');
  expect(await orderIn(page)).toEqual(['2', '0', '1', '3']);
  await page.getByRole('status').filter({ hasText: 'now sentence 1 of 4' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Control+z');
  expect(await orderIn(page)).toEqual(['0', '2', '1', '3']);
  await page.keyboard.press('Control+Shift+z');
  // The next word is the one that is heard next.
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('status').filter({ hasText: 'the word One' }).waitFor({ state: 'attached' });

  // By its grip, in front of another one.
  await page.locator('[data-sentence="3"]').hover();
  const grip = await page.locator('[data-sentence="3"] .ed-grip').boundingBox();
  const target = await page.locator('[data-sentence="0"]').boundingBox();
  await page.mouse.move((grip?.x ?? 0) + 8, (grip?.y ?? 0) + 8);
  await page.mouse.down();
  await page.mouse.move((grip?.x ?? 0) + 8, (target?.y ?? 0) + 20, { steps: 4 });
  await page.locator('.sent.moving[data-sentence="3"]').waitFor();
  await page.mouse.move((grip?.x ?? 0) + 8, (target?.y ?? 0) + 6, { steps: 2 });
  await page.locator('.sent.drop-before[data-sentence="0"]').waitFor();
  await keepPicture(page, 'editor-moving');
  await page.mouse.up();
  expect(await orderIn(page)).toEqual(['2', '3', '0', '1']);

  // A word is cut of what did not move; all of it is there again after a reload.
  await page.locator('#ed-text').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Delete');
  await expect
    .poll(async () => (await own.edit())['moves'])
    .toEqual({ 2: expect.closeTo(-2 / 3), 3: expect.closeTo(-1 / 3) });
  await expect.poll(async () => (await own.edit())['cut']).toHaveLength(1);
  await page.reload();
  await page.getByText('Four five six.').waitFor();
  expect(await orderIn(page)).toEqual(['2', '3', '0', '1']);
  await keepPicture(page, 'editor-moved');
  expect(await findings(page)).toEqual([]);
  const cut = ((await own.edit())['cut'] as [number, number][])[0] ?? [0, 0];
  expect(cut[1] - cut[0]).toBe(1);
  const heard = [6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5].filter((word) => word !== cut[0]);

  // What is exported: words, captions and the timeline in the order in which they are heard.
  const list = JSON.parse(await exported(page, 'Edit list JSON')) as {
    mode: string;
    order: string;
    ranges: number[][];
  };
  expect([list.mode, list.order]).toEqual(['keep', 'given']);
  const text = JSON.parse(await exported(page, 'Transcript JSON')) as typeof said.transcript;
  const written = text.sentences.flatMap((sentence) => sentence.words);
  expect(written.map((word) => word.text.toLowerCase().replace('.', ''))).toEqual(
    heard.map((word) => words[word]?.text.toLowerCase().replace('.', '')),
  );
  const captions = await exported(page, 'Subtitles SRT');
  expect(captions.indexOf('Ten eleven twelve')).toBeLessThan(captions.indexOf('One two'));
  const otio = JSON.parse(await exported(page, 'DaVinci Resolve OTIO')) as {
    tracks: { children: { children: { source_range: { start_time: { value: number; rate: number } } }[] }[] };
  };
  expect(
    otio.tracks.children[0]?.children.map(({ source_range: { start_time: at } }) => (at.value / at.rate).toFixed(2)),
  ).toEqual(list.ranges.map(([from = 0]) => from.toFixed(2)));

  // The rendering is the recording's samples in that order (seams lie in digital silence), and each word's tone is at
  // the time that the transcript tells.
  await page.getByRole('button', { name: /^Render/ }).click();
  const link = page.getByRole('link', { name: /^Download/ });
  await link.waitFor();
  const file = await saved(page, () => link.click());
  const samples = new Int16Array(file.buffer.slice(file.byteOffset + file.indexOf('data') + 8));
  const wanted = joined(list.ranges.map(([from = 0, to = 0]) => [Math.round(from * rate), Math.round(to * rate)]));
  expect(samples.length).toBe(wanted.length);
  expect(samples.findIndex((sample, frame) => Math.abs(sample - (wanted[frame] ?? 0) * 32_768) > 1)).toBe(-1);
  for (const [at, word] of written.entries())
    expect(hertz(samples, word.startSeconds + 0.02, word.endSeconds - 0.02), word.text).toBeCloseTo(
      200 + 23 * (heard[at] ?? 0),
      0,
    );

  // Played: the sentences come as they are shown.
  const insides = said.transcript.sentences.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds - 0.1]);
  await page.locator('.wave.s').press('Home');
  const visited = await page.evaluate<number[]>(`new Promise((resolve) => {
    const slider = document.querySelector('.wave.s');
    const seen = [];
    new MutationObserver(() => {
      const now = Number(slider.getAttribute('aria-valuenow'));
      const sentence = ${JSON.stringify(insides)}.findIndex(([from, to]) => now >= from && now < to);
      if (sentence >= 0 && seen.at(-1) !== sentence) seen.push(sentence);
      if (seen.length === 4) resolve(seen);
    }).observe(slider, { attributes: true });
    document.querySelector('.transport .btn.ink').click();
    setTimeout(() => resolve(seen), 30000);
  })`);
  expect(visited).toEqual([2, 3, 0, 1]);
  expect(browser.complaints).toEqual([]);
});

it('says that the passages of a film stay in their order', slow, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  needFfmpeg(context);
  const [sound, film] = [join(folder, 'talk.wav'), join(folder, 'film.mp4')];
  writeFileSync(sound, said.wav);
  ffmpeg('-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=5.8', '-i', sound, '-shortest', film);
  const own = await personOf(service, browser, readFileSync(film));
  const page = await own.open();
  await page.getByRole('button', { name: /^Transcribe/ }).click();
  await page.getByText('Ten eleven twelve.').waitFor();
  expect(await page.locator('.ed-grip').count()).toBe(0);
  await page.locator('#ed-text').focus();
  await page.keyboard.press('Alt+ArrowDown');
  await page.getByText('The passages of a film stay in their order').waitFor();
  expect(await orderIn(page)).toEqual(['0', '1', '2', '3']);
  expect((await own.edit())['moves'] ?? {}).toEqual({});
  // The tool refuses it before anything is paid.
  const ranges = [
    [2, 3],
    [0, 1],
  ];
  const refused = await own.send('POST', 'render', {
    ranges,
    mode: 'keep',
    order: 'given',
    crossfade_ms: 20,
    free: false,
  });
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    422,
    'wrong_file_type',
  ]);
});

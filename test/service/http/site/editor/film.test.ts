// A film of two hours and 20,000 words in the editor: from the drop to the rendered film. Each night, since it takes
// minutes.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transcript } from '../../../../../src/library/contract/transcript.ts';
import { plainSessionCookie } from '../../../../../src/service/http/interface/session-cookie.ts';
import { hasChromium } from '../../../../fixtures/browser/chromium.ts';
import { desk, findings, keepPicture, useBrowser } from '../../../../fixtures/browser/site.ts';
import { useServices, type TestService } from '../../../../fixtures/service/service.ts';
import { workThatHears } from './spoken.ts';

const soaks = process.env['EARSHOT_TEST_SOAK'] === '1';
const services = useServices();
const browser = useBrowser();
const seconds = 7200;
const wordCount = 20_000;
const sentenceCount = wordCount / 8;
/** Of the page's own process. */
const mostBytes = 200e6;
let folder = '';
let film = '';
let service: TestService;

/** Sentences of eight words, every twentieth word an "um". */
function transcript(): Transcript {
  const step = seconds / wordCount;
  const vocabulary = ['the', 'committee', 'said', 'that', 'nothing', 'was', 'decided', 'yesterday'];
  const sentences = Array.from({ length: sentenceCount }, (_, sentence) => {
    const words = vocabulary.map((text, at) => {
      const number = sentence * 8 + at;
      const startSeconds = Math.round(number * step * 1000) / 1000;
      return {
        text: number % 20 === 7 ? 'um,' : text,
        startSeconds,
        endSeconds: Math.round((startSeconds + step * 0.9) * 1000) / 1000,
        speaker: 1 + (sentence % 2),
      };
    });
    return {
      startSeconds: words[0]?.startSeconds ?? 0,
      endSeconds: words.at(-1)?.endSeconds ?? 0,
      text: words.map(({ text }) => text).join(' '),
      speaker: 1 + (sentence % 2),
      words,
    };
  });
  return {
    format: 'earshot-transcript',
    version: 1,
    language: 'en',
    durationSeconds: seconds,
    speakerCount: 2,
    sentences,
  };
}

function ffmpeg(...given: readonly string[]): void {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...given], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

const lengthOf = (path: string, stream: 'a' | 'v'): number =>
  Number(
    spawnSync(
      'ffprobe',
      ['-v', 'error', '-select_streams', stream, '-show_entries', 'stream=duration', '-of', 'csv=p=0', path],
      { encoding: 'utf8' },
    ).stdout.trim(),
  );

beforeAll(async () => {
  if (!soaks || !hasChromium) return;
  folder = await mkdtemp(join(tmpdir(), 'earshot-test-film-'));
  film = join(folder, 'film.mp4');
  const minute = join(folder, 'minute.mp4');
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=12:duration=60'];
  const sound = ['-stream_loop', '-1', '-i', 'docs/samples/talk.opus'];
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '38', '-g', '60', '-c:a', 'aac', '-b:a', '64k'];
  ffmpeg(...picture, ...sound, '-t', '60', ...coded, '-ac', '1', '-ar', '44100', minute);
  ffmpeg('-stream_loop', '-1', '-i', minute, '-t', String(seconds), '-c', 'copy', film);
  service = await services.start({ media: workThatHears(transcript(), folder, 3600) });
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Bytes that the process of the page holds itself. */
async function residentBytes(page: Page): Promise<number> {
  await (await page.context().newCDPSession(page)).send('HeapProfiler.collectGarbage');
  const whole = page.context().browser() ?? expect.fail('the page has no browser');
  const { processInfo } = (await (await whole.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')) as {
    readonly processInfo: readonly { readonly type: string; readonly id: number }[];
  };
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return Math.max(
    ...renderers.map(
      ({ id }) => 1024 * Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0),
    ),
  );
}

async function expectSmall(page: Page, when: string): Promise<void> {
  const bytes = await residentBytes(page);
  console.log(`${when}: the page holds ${(bytes / 1e6).toFixed(0)} MB`);
  expect(bytes).toBeLessThan(mostBytes);
}

const time = (page: Page): Promise<number> => page.evaluate<number>(`document.querySelector('.ed-video').currentTime`);

describe.runIf(soaks && hasChromium)('a film of two hours', () => {
  it('is opened, read, cut, heard and rendered', { timeout: 2_000_000 }, async () => {
    const { account } = await service.account(10_000);
    const { token } = await service.operator.createSession(account.id, 36_000);
    const page = await browser.open({ viewport: desk });
    page.setDefaultTimeout(120_000);
    await page.context().addCookies([{ name: plainSessionCookie, value: token, url: service.base }]);
    await page.goto(`${service.base}/edit`);
    await page.locator('#ed-file').setInputFiles(film);
    await page.waitForURL('**/edit/file_*');
    await page.getByRole('button', { name: /^Transcribe for/ }).click();
    await page.locator('.sent').first().waitFor();
    await keepPicture(page, 'film-open');
    expect(await findings(page)).toEqual([]);
    await expectSmall(page, 'opened');

    // To the end of the text, and of the waveform.
    await page.hover('#ed-text');
    for (let at = 0; at < 40; at++) await page.mouse.wheel(0, 3000);
    await page.evaluate(`document.querySelector('#ed-text').scrollTop = 1e9`);
    await page.locator(`[data-sentence="${sentenceCount - 1}"]`).waitFor();
    await expectSmall(page, 'scrolled');

    // Ten words in the last sentences, and a filler in the middle.
    await page.locator('#ed-text').focus();
    await page.locator(`[data-sentence="${sentenceCount - 3}"] p[lang]`).click();
    await page.keyboard.press('Home');
    for (let at = 0; at < 9; at++) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Delete');
    await page.locator('del').first().waitFor();
    await keepPicture(page, 'film-cut');
    await expectSmall(page, 'cut');

    // Played over the cut: the picture jumps, and goes on.
    const before = (sentenceCount - 3) * 8 * (seconds / wordCount);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press(' ');
    await expect.poll(() => time(page), { timeout: 60_000 }).toBeGreaterThan(before + 10 * (seconds / wordCount));
    await page.keyboard.press(' ');
    await expectSmall(page, 'played');
    await keepPicture(page, 'film-played');

    await page.getByRole('button', { name: /^Render for/ }).click();
    const link = page.getByRole('link', { name: /^Download/ });
    await page.locator('.ed-work').waitFor();
    await keepPicture(page, 'film-rendering');
    await link.waitFor({ timeout: 1_500_000 });
    await keepPicture(page, 'film-rendered');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const saved = join(folder, 'rendered.mp4');
    await download.saveAs(saved);
    await expectSmall(page, 'rendered');
    // Ten words of 0.36 s, the last without its pause, and no more than the seams' search for quiet; sound and picture
    // alike, to half a frame of the picture.
    const removed = lengthOf(film, 'a') - lengthOf(saved, 'a');
    expect(removed).toBeGreaterThan(3.2);
    expect(removed).toBeLessThan(4);
    expect(Math.abs(lengthOf(saved, 'v') - lengthOf(saved, 'a'))).toBeLessThan(1 / 12);
    expect(browser.complaints.filter((text) => !text.includes('status of 409'))).toEqual([]);
  });
});

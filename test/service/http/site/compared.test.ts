// @module-tag slower
// Before and after on a tool's page: of a recording that is longer than the free part, what was processed is compared.
import { beforeAll, expect, it } from 'vitest';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { keepPicture, useBrowser } from '../../../fixtures/browser/site.ts';
import { ffmpeg, loudnessByFfmpeg, needFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';

const services = useServices();
let service: TestService;
beforeAll(async () => {
  service = await services.start();
});
const browser = useBrowser();
const file = scratch();

/** Three minutes of noise at about -36 LUFS, and a minute that is far louder. */
const recording = ['-f', 'lavfi', '-i', 'anoisesrc=c=pink:a=0.05:d=180:r=48000:seed=5'].concat(
  ['-f', 'lavfi', '-i', 'anoisesrc=c=pink:a=0.9:d=60:r=48000:seed=6'],
  ['-filter_complex', '[0][1]concat=n=2:v=0:a=1'],
);

it.for([
  ['wav', ['-c:a', 'pcm_s16le']],
  // Its index lies behind the sound: a part of its bytes cannot be decoded.
  ['m4a', ['-c:a', 'aac', '-b:a', '96k']],
  ['mp3', ['-c:a', 'libmp3lame', '-q:a', '4']],
] as const)(
  'measures before and after on the processed stretch of a longer %s',
  async ([extension, codec], context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    needFfmpeg(context);
    const path = file(`longer.${extension}`);
    ffmpeg(...recording, ...codec, path);
    const page = await browser.open();
    await page.goto(`${service.base}/tools/convert`);
    await page.locator('input[type=file]').setInputFiles(path);
    await page.getByRole('button', { name: 'Convert', exact: true }).click();
    const row = page.getByRole('row', { name: /^Loudness/ });
    await row.waitFor({ timeout: 300_000 });
    await keepPicture(page, `compared-${extension}`);
    const cells = async (name: string): Promise<readonly number[]> =>
      (
        await page
          .getByRole('row', { name: new RegExp(`^${name}`) })
          .getByRole('cell')
          .allInnerTexts()
      ).map((text) => Number(text.replace('−', '-').replace(/[^-+.\d]/g, '')));
    const part = file('part.wav');
    const [seconds = 0, after = 0] = await cells('Length');
    ffmpeg('-i', path, '-t', String(after), part);
    expect(Math.abs(seconds - after)).toBeLessThan(0.06);
    const [before = 0] = await cells('Loudness');
    expect(Math.abs(before - loudnessByFfmpeg(part).lufs)).toBeLessThan(0.15);
    // The whole of it is some 20 dB louder than its beginning.
    expect(loudnessByFfmpeg(path).lufs - before).toBeGreaterThan(10);
  },
);

// A frame of each film in the list of an account's files.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { plainSessionCookie } from '../../../../src/service/http/interface/session-cookie.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { findings, keepPicture, useBrowser } from '../../../fixtures/browser/site.ts';
import { ffmpeg, needFfmpeg, scratch } from '../../../fixtures/media/media.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';

const services = useServices();
const browser = useBrowser();
const path = scratch();
let service: TestService;
beforeAll(async () => {
  service = await services.start();
});

it('are read by the browser from behind a black beginning; others keep their waveform', slow, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  needFfmpeg(context);
  const { account, key } = await service.account(100);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const picture = 'color=black:s=320x180:r=25:d=0.4[a];color=0x00c000:s=320x180:r=25:d=7.6[b];[a][b]concat';
  for (const [name, codec] of [
    ['film.mp4', ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac']],
    ['old.avi', ['-c:v', 'mpeg4', '-c:a', 'pcm_s16le']],
  ] as const) {
    ffmpeg('-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', 'sine=440:d=8', '-shortest', ...codec, path(name));
    const bytes = readFileSync(path(name));
    const body = JSON.stringify({ filename: name, sizeBytes: bytes.length });
    const made = (await (await fetch(`${service.base}/api/v1/files`, { method: 'POST', headers, body })).json()) as {
      file: { id: string };
      upload: { url: string; headers: Record<string, string> };
    };
    await fetch(made.upload.url, { method: 'PUT', headers: made.upload.headers, body: bytes });
    await fetch(`${service.base}/api/v1/files/${made.file.id}?wait=30`, { headers });
  }
  const { token } = await service.operator.createSession(account.id, 3600);
  const page = await browser.open();
  await page.context().addCookies([{ name: plainSessionCookie, value: token, url: service.base }]);
  await page.goto(`${service.base}/files`);
  const frame = page.locator('[data-film] canvas');
  await frame.waitFor();
  const pixel = await page.evaluate<number[]>(
    '[...document.querySelector("[data-film] canvas").getContext("2d").getImageData(48, 27, 1, 1).data]',
  );
  expect(pixel[0]).toBeLessThan(20);
  expect(Math.abs((pixel[1] ?? 0) - 0xc0)).toBeLessThan(12);
  expect(await page.locator('[data-film] img').count()).toBe(1);
  await keepPicture(page, 'files-frames');
  expect(await findings(page)).toEqual([]);
  expect(browser.complaints).toEqual([]);
});

// Streams of different forms, one behind the other in one Ogg file.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ffmpeg, needFfmpeg, readableSeconds, readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { rms, tone, toneLevelDb } from '../../fixtures/media/signals.ts';

const at = scratch();

function chain(name: string, codec: string, forms: readonly { hz: number; rate: number; channels: number }[]): string {
  const links = forms.map(({ hz, rate, channels }, n) => {
    const wav = writeWav(
      at(`${name}-${n}.wav`),
      Array.from({ length: channels }, () => tone(2 * rate, rate, hz)),
      rate,
    );
    ffmpeg('-i', wav, '-c:a', codec, '-f', 'ogg', at(`${n}-${name}`));
    return readFileSync(at(`${n}-${name}`));
  });
  writeFileSync(at(name), Buffer.concat(links));
  return at(name);
}

it.for([
  ['opus', 'libopus', 48_000],
  ['ogg', 'libvorbis', 22_050],
  ['oga', 'flac', 44_100],
] as const)(
  '%s: all of a chain is read, in the form of its first stream',
  async ([extension, codec, other], context) => {
    needFfmpeg(context);
    const path = chain(`chain.${extension}`, codec, [
      { hz: 500, rate: 48_000, channels: 1 },
      { hz: 1000, rate: other, channels: 2 },
      { hz: 2000, rate: 48_000, channels: 1 },
    ]);
    const { planes, format, warnings } = readAll(path);
    const plane = planes[0] as Float32Array;
    expect(format).toMatchObject({ sampleRate: 48_000, channels: 1 });
    expect(warnings.map(({ code }) => code)).toEqual(['form_changed']);
    expect(warnings[0]?.message).toContain(`2 channels at ${extension === 'opus' ? 48_000 : other} Hz from 2.0`);
    expect(Math.abs(plane.length / 48_000 - 6)).toBeLessThan(0.05);
    // The last packet of FLAC says nothing of its length.
    expect(Math.abs(((await readableSeconds(path)) ?? 0) - 6)).toBeLessThan(extension === 'oga' ? 0.2 : 0.05);
    for (const [n, hz] of [500, 1000, 2000].entries()) {
      const part = plane.subarray((2 * n + 0.5) * 48_000, (2 * n + 1.5) * 48_000);
      expect(
        Math.abs(toneLevelDb(part, 48_000, hz) - 20 * Math.log10(rms(part) * Math.SQRT2)),
        `${hz} Hz`,
      ).toBeLessThan(0.2);
    }
    const behind = readAll(path, { from: 4.5 }).planes[0] as Float32Array;
    expect(toneLevelDb(behind.subarray(0, 24_000), 48_000, 2000)).toBeGreaterThan(-10);
  },
);

it('a stream of FLAC behind another may have longer blocks', async (context) => {
  needFfmpeg(context);
  const path = chain('longer.oga', 'flac', [
    { hz: 500, rate: 16_000, channels: 1 },
    { hz: 1000, rate: 48_000, channels: 2 },
  ]);
  const { planes, warnings } = readAll(path);
  expect(warnings.map(({ code }) => code)).toEqual(['form_changed']);
  expect(Math.abs((planes[0] as Float32Array).length / 16_000 - 4)).toBeLessThan(0.01);
  expect(toneLevelDb((planes[0] as Float32Array).subarray(40_000, 56_000), 16_000, 1000)).toBeGreaterThan(-10);
  expect(Math.abs(((await readableSeconds(path)) ?? 0) - 4)).toBeLessThan(0.2);
});

it('what follows a chain is damage, and all before it is read', (context) => {
  needFfmpeg(context);
  const path = chain('damaged.opus', 'libopus', [
    { hz: 500, rate: 48_000, channels: 1 },
    { hz: 1000, rate: 48_000, channels: 2 },
  ]);
  const bytes = readFileSync(path);
  const link = bytes.lastIndexOf('OpusHead');
  bytes.fill(0xff, link, link + 8);
  writeFileSync(path, bytes);
  const { planes, warnings } = readAll(path);
  expect(Math.abs((planes[0] as Float32Array).length / 48_000 - 2)).toBeLessThan(0.05);
  expect(warnings.map(({ code }) => code)).toContain('truncated');
  // Cut off in the head of the second stream.
  writeFileSync(path, bytes.subarray(0, link));
  expect(readAll(path).warnings.map(({ code }) => code)).toEqual(['truncated']);
});

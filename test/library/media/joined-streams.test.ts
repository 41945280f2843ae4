// Files put one behind the other byte by byte, and files whose writers pad them or state odd lengths: nothing of them
// is called damaged, and their sound is as long and as priced as it is.
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { ffmpeg, needFfmpeg, readableSeconds, readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { difference, tone } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
beforeEach(needFfmpeg);

function encoded(name: string, rate: number, seconds: number, ...codec: string[]): string {
  const plane = tone(Math.round(seconds * rate), rate, 440);
  ffmpeg('-i', writeWav(at('sound.wav'), [plane, plane], rate), ...codec, at(name));
  return at(name);
}

function joined(name: string, ...parts: readonly string[]): string {
  writeFileSync(at(name), Buffer.concat(parts.map((part) => readFileSync(part))));
  return at(name);
}

it.each([
  ['padded.w64', 22_050, 'pcm_s24le'],
  ['blocks.wav', 32_000, 'adpcm_ms'],
  ['blocks-ima.wav', 32_000, 'adpcm_ima_wav'],
] as const)('%s is whole', (name, rate, codec) => {
  const { warnings, frames } = readAll(encoded(name, rate, 2.09, '-c:a', codec));
  expect(warnings).toEqual([]);
  expect(Math.abs(frames / rate - 2.09)).toBeLessThan(0.07);
});

it('a WAV that ends within a frame before its stated end is still said to be cut off', () => {
  const path = encoded('cut.wav', 48_000, 2, '-c:a', 'pcm_s24le');
  writeFileSync(path, readFileSync(path).subarray(0, -100_001));
  expect(readAll(path).warnings.map(({ code }) => code)).toEqual(['truncated']);
});

it('a tag between joined MP3s is no sound, and the frame behind it is', slow, () => {
  const [one, two] = [1, 2].map((n) => encoded(`${n}.mp3`, 48_000, n, '-c:a', 'libmp3lame'));
  const bare = encoded('bare.mp3', 48_000, 2, '-c:a', 'libmp3lame', '-write_xing', '0');
  const whole = (path: string): number => readAll(path).frames;
  for (const second of [two as string, bare]) {
    const { warnings, frames } = readAll(joined('joined.mp3', one as string, second));
    expect(warnings).toEqual([]);
    // The second one has its encoder's delay before it and its padding behind it.
    expect(frames).toBeGreaterThan(whole(one as string) + whole(two as string) - 48);
    expect(frames).toBeLessThan(whole(one as string) + whole(two as string) + 4 * 1152);
  }
});

it('a chain of Vorbis of one form has each stream at its place', slow, async () => {
  const one = encoded('one.ogg', 32_000, 2, '-c:a', 'libvorbis');
  const chain = joined('chain.ogg', one, one, one);
  const { frames, warnings, planes } = readAll(chain);
  const alone = readAll(one);
  expect(warnings).toEqual([]);
  expect(frames).toBe(3 * alone.frames);
  const [plane, part] = [planes[0] as Float32Array, alone.planes[0] as Float32Array];
  expect(difference(plane.subarray(2 * part.length), part)).toBeLessThan(1e-6);
  expect(Math.abs(((await readableSeconds(chain)) ?? 0) - 6)).toBeLessThan(0.1);
});

it.each(['ac3', 'eac3'] as const)('joined %s of two rates is priced as long as it is', slow, async (kind) => {
  const parts = [48_000, 32_000].map((rate) => encoded(`${rate}.${kind}`, rate, 2, '-c:a', kind));
  const path = joined(`two.${kind}`, ...parts);
  expect(Math.abs(((await readableSeconds(path)) ?? 0) - readAll(path).frames / 48_000)).toBeLessThan(0.1);
});

it.each([
  ['mp2', 'mp2'],
  ['aac', 'aac'],
] as const)('joined %s of several rates is read from a time on as from its start', slow, (kind, codec) => {
  const parts = [44_100, 32_000, 48_000].map((rate) => encoded(`${rate}.${kind}`, rate, 3, '-c:a', codec));
  const path = joined(`several.${kind}`, ...parts);
  const whole = readAll(path).planes[0] as Float32Array;
  for (const from of [4, 6, 8]) {
    const late = readAll(path, { from }).planes[0] as Float32Array;
    expect(late.length, `from ${from} s`).toBe(whole.length - from * 44_100);
    expect(difference(whole.subarray(from * 44_100), late), `from ${from} s`).toBeLessThan(1e-3);
  }
});

it('bytes behind ADTS that look like a frame are not priced', slow, async () => {
  const whole = encoded('whole.aac', 16_000, 2, '-c:a', 'aac');
  // Four blocks of 12 kHz: 0.34 s.
  const frame = Buffer.concat([Buffer.from('fff15880198fff', 'hex'), Buffer.alloc(198, 0x55)]);
  writeFileSync(at('behind.aac'), Buffer.concat([readFileSync(whole), frame]));
  expect(await readableSeconds(at('behind.aac'))).toBeCloseTo((await readableSeconds(whole)) ?? 0, 2);
});

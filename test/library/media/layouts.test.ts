// Rare codecs, and channels that stay with their loudspeakers.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { skipForMissing } from '../../fixtures/missing-part.ts';
import { sameSpeakers } from '../../../src/library/media/write/codec/codec-layout.ts';
import { outputFormats, type OutputFormatId } from '../../../src/library/media/formats.ts';
import { decodeByFfmpeg, ffprobe, hasFfmpeg, readAll, scratch, writeAll } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { difference, lagOf, make, noise, rms, tone, voice } from '../../fixtures/media/signals.ts';
import { writeTak } from '../../fixtures/media/tak-file.ts';
import { eachOf } from '../../fixtures/rounds.ts';

const at = scratch();

describe('Speex', () => {
  const kinds: [rate: number, channels: number][] = [
    [8000, 1],
    [8000, 2],
    [16_000, 1],
    [16_000, 2],
    [32_000, 1],
    [32_000, 2],
  ];
  it.for(kinds)('%i Hz, %i channels: as long as speexdec makes it, in its place', ([rate, channels], context) => {
    const planes = Array.from({ length: channels }, () => voice(3 * rate, rate, 1));
    const wav = writeWav(at('talk.wav'), planes, rate);
    const path = at(`talk-${rate}-${channels}.spx`);
    if (spawnSync('speexenc', ['--quality', '10', wav, path]).error)
      skipForMissing(context, 'speexenc and speexdec are not installed');
    const sound = readAll(path);
    expect(sound.warnings).toEqual([]);
    expect(sound.format).toMatchObject({ sampleRate: rate, channels });
    expect(sound.frames).toBe(3 * rate);
    const decoded = at('decoded.wav');
    expect(spawnSync('speexdec', [path, decoded]).status).toBe(0);
    expect(Math.abs(lagOf(readAll(decoded).planes[0]!, sound.planes[0]!))).toBe(0);
    const part = readAll(path, { from: 1.5, to: 2 });
    expect(part.frames).toBe(rate / 2);
    expect(difference(sound.planes[0]!.slice(1.5 * rate, 2 * rate), part.planes[0]!)).toBe(0);
  });
});

it('TAK', () => {
  const planes = [
    [1, -2, 300, -32_768, 32_767, 5, 6, 7, 8, 9, 10, 11, 12, 13, -14],
    [100, 200, 300, 400, -500, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  ];
  const sound = readAll(writeTak(at('short.tak'), planes, 44_100));
  expect(sound.facts).toMatchObject({ format: 'tak', audio: { codec: 'tak', layout: 'stereo', bitsPerSample: 16 } });
  expect(sound.planes.map((plane) => [...plane].map((x) => x * 32_768))).toEqual(planes);
});

describe('channel layouts', () => {
  const rate = 48_000;
  const layouts = ['3.0', '2.1', 'quad', '4.0', '5.0(side)', '5.1', '5.1(side)', '6.1', '7.1'];
  const countOf: Record<string, number> = { '3.0': 3, '2.1': 3, quad: 4, '4.0': 4, '5.0(side)': 5, '6.1': 7, '7.1': 8 };
  const tones = (layout: string, count = countOf[layout] ?? 6): Float32Array[] =>
    Array.from({ length: count }, (_, n) =>
      tone(rate, rate, (n === 3 && count > 5) || (n === 2 && layout === '2.1') ? 60 : 300 + 200 * n, -20),
    );
  const write = (format: OutputFormatId, layout: string): ReturnType<typeof writeAll> =>
    writeAll(at(`${layout}.${format}`), tones(layout), rate, { format }, 10_000, layout);

  eachOf(layouts)('%s keeps its name in WAV, FLAC and M4A', (layout) => {
    for (const format of ['wav', 'flac', 'm4a'] as const) {
      const { path, warnings } = write(format, layout);
      const found = readAll(path).facts.audio?.layout ?? '';
      // AAC has one place for a lone pair, which FFmpeg calls the back.
      if (format === 'm4a') expect(sameSpeakers(found, layout), found).toBe(true);
      else expect(found, format).toBe(layout);
      expect(warnings).toEqual([]);
      // ffmpeg 5.1 knows no name for some that AAC spells out.
      if (hasFfmpeg && format !== 'm4a') expect(ffprobe(path).streams[0]?.channel_layout, format).toBe(layout);
      if (format === 'm4a') continue;
      for (const [n, plane] of readAll(path).planes.entries())
        expect(difference(plane, tones(layout)[n]!)).toBeLessThan(1e-4);
    }
  });

  it.each([
    ['3.0', '3.0', [0, 1, 2]],
    ['quad', 'quad', [0, 1, 2, 3]],
    ['5.1', '5.1', [0, 1, 2, 3, 4, 5]],
    ['5.1(side)', '5.1', [0, 1, 2, 3, 4, 5]],
    ['5.0(side)', '5.0', [0, 1, 2, 3, 4]],
    ['7.1', '7.1', [0, 1, 2, 3, 4, 5, 6, 7]],
    // No layout of theirs is as small: what the sound has no channel for is silent.
    ['2.1', '5.1', [0, 1, 3]],
    ['4.0', '6.1', [0, 1, 2, 4]],
  ] as const)('%s in Opus and Vorbis: %s', (layout, written, places) => {
    for (const format of ['opus', 'ogg'] as const) {
      const { path, warnings } = write(format, layout);
      expect(warnings.map(({ code }) => code)).toEqual(['2.1', '4.0'].includes(layout) ? ['layout_changed'] : []);
      const sound = readAll(path);
      expect(sound.facts.audio?.layout, format).toBe(written);
      const source = tones(layout);
      for (const [n, plane] of sound.planes.entries()) {
        const from = (places as readonly number[]).indexOf(n);
        if (from < 0) expect(rms(plane)).toBeLessThan(1e-3);
        else expect(rms(make(rate - 9600, (i) => plane[i + 4800]! - source[from]![i + 4800]!))).toBeLessThan(0.02);
      }
    }
  });
});

it('FLAC at 192 kHz with 8 channels of noise can be read', () => {
  const planes = Array.from({ length: 8 }, (_, n) => noise(192_000, n + 1, 0.9));
  const { path } = writeAll(at('wide.flac'), planes, 192_000, { format: 'flac', bitDepth: '24' });
  expect(readAll(path).frames).toBe(192_000);
  if (hasFfmpeg) expect(decodeByFfmpeg(path).planes[7]).toHaveLength(192_000);
  expect(outputFormats.flac.maxChannels).toBe(8);
});

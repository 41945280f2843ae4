// Decoded samples against numbers computed here.
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import type { OutputFormatId } from '../../../src/library/media/formats.ts';
import {
  decodeByFfmpeg,
  ffmpeg,
  needFfmpeg,
  readAll,
  scratch,
  thrownBy,
  writeAll,
} from '../../fixtures/media/media.ts';
import { recording } from '../../fixtures/recordings.ts';
import { quantised, wavBytes, type WavKind, writeWav } from '../../fixtures/media/pcm-files.ts';
import {
  difference,
  fromDb,
  lagOf,
  make,
  noise,
  spectrumOf,
  strongestBeside,
  tone,
  toneLevelDb,
  voice,
} from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { slow } from '../../fixtures/rounds.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

const at = scratch();
const rate = 44_100;
/** Full range, with the extremes. */
const planes = [noise(100_001, 1, 1), noise(100_001, 2, 1)];
planes[0]!.set([1, -1, 0, 0.999999, -0.999999, 2 ** -15, -(2 ** -15)]);

describe('exact samples', () => {
  it.each(['u8', 's16', 's24', 's32', 'f32', 'f64'] as WavKind[])('wav %s', (kind) => {
    const sound = readAll(writeWav(at(`${kind}.wav`), planes, rate, kind));
    expect(sound.format).toEqual({ sampleRate: rate, channels: 2, layout: 'stereo' });
    expect(sound.expectedFrames).toBe(100_001);
    for (const [c, plane] of planes.entries())
      expect(
        difference(
          sound.planes[c]!,
          plane.map((x) => quantised(x, kind)),
        ),
      ).toBe(0);
  });

  it('floats beyond full scale stay', () => {
    const loud = make(1000, (i) => i / 100 - 5);
    expect(difference(readAll(writeWav(at('loud.wav'), [loud], rate, 'f32')).planes[0]!, loud)).toBe(0);
  });

  it('flac and wav of one recording are the same', (context) => {
    const path = recording('um.flac');
    needFfmpeg(context);
    const own = readAll(path);
    const other = decodeByFfmpeg(path);
    expect(own.format.sampleRate).toBe(other.rate);
    expect(difference(own.planes[0]!, other.planes[0]!)).toBe(0);
  });

  it('mp3 agrees with ffmpeg, encoder delay removed', (context) => {
    const path = recording('sonnet001.mp3');
    needFfmpeg(context);
    const own = readAll(path);
    const other = decodeByFfmpeg(path);
    // This file has a LAME tag with delay and padding; ffmpeg 5.1 keeps part of the padding.
    expect(Math.abs(own.frames - (other.planes[0]?.length ?? 0))).toBeLessThan(1153 * 2);
    expect(lagOf(own.planes[0]!.subarray(rate * 5), other.planes[0]!.subarray(rate * 5), 1500)).toBe(0);
    expect(difference(own.planes[0]!.slice(0, rate * 50), other.planes[0]!.slice(0, rate * 50))).toBeLessThan(1e-5);
  });

  it('blocks: about a second, every plane as long as `frames`, null for ever at the end', () => {
    const source = openAudio(probe(writeWav(at('blocks.wav'), planes, rate)));
    const lengths: number[] = [];
    for (let block = source.next(); block; block = source.next()) {
      expect(block.planes.map((plane) => plane.length)).toEqual([block.frames, block.frames]);
      lengths.push(block.frames);
    }
    expect(lengths).toEqual([44_100, 44_100, 11_801]);
    expect([source.next(), source.next()]).toEqual([null, null]);
    source.close();
  });
});

describe('from and to, exact to the sample', () => {
  const length = 5 * rate;
  const signal = [voice(length, rate, 3), voice(length, rate, 4)];
  const ranges = [
    [0, 1],
    [0.5, 1.5],
    [1.00001, 1.00002],
    [2.3456, 2.9],
    [3.001, 99],
    [4.9999, 5],
    [2, 2],
    [7, 8],
    [0.013, 4.987],
  ] as const;

  function check(path: string): void {
    const whole = readAll(path);
    const hz = whole.format.sampleRate;
    for (const [from, to] of ranges) {
      const part = readAll(path, { from, to });
      const [a, b] = [Math.min(whole.frames, Math.round(from * hz)), Math.min(whole.frames, Math.round(to * hz))];
      expect(part.frames, `${from} to ${to}`).toBe(b - a);
      for (const [c, plane] of part.planes.entries())
        expect(difference(plane, whole.planes[c]!.subarray(a, b)), `${from} to ${to}`).toBeLessThan(2e-6);
    }
    // A window whose end is open.
    expect(readAll(path, { from: 3 }).frames).toBe(whole.frames - Math.round(3 * hz));
  }

  it.each(['wav', 'flac', 'aiff', 'mp3', 'ogg', 'opus', 'wma'] as OutputFormatId[])('%s', slow, (format) =>
    check(writeAll(at(`range.${format}`), signal, rate, { format }).path),
  );

  it.for(['m4a', 'aac', 'mp4', 'mkv', 'mka', 'ts'])('AAC in %s', slow, (extension, context) => {
    // Noise substitution draws random numbers on and on, so that no two decodes from different places agree: it is
    // switched off.
    needFfmpeg(context);
    const sound = writeWav(at('range.wav'), signal, rate);
    const path = at(`range-aac.${extension}`);
    if (['mp4', 'mkv', 'ts'].includes(extension))
      makeVideo(path, signal, rate, { output: ['-c:a', 'aac', '-aac_pns', '0'] });
    else ffmpeg('-i', sound, '-c:a', 'aac', '-aac_pns', '0', '-b:a', '160k', path);
    check(path);
  });

  it.for(['webm', 'avi', 'mov', 'flv', 'wmv'])('%s', (extension, context) => {
    needFfmpeg(context);
    check(makeVideo(at(`range.${extension}`), signal, rate));
  });

  it('a real mp3, anywhere', () => {
    const path = recording('sonnet001.mp3');
    const whole = readAll(path).planes[0]!;
    for (const from of [0.9, 1.1, 7.77, 31.41, 52]) {
      const part = readAll(path, { from, to: from + 0.5 }).planes[0]!;
      const a = Math.round(from * rate);
      expect(difference(part, whole.subarray(a, a + part.length))).toBeLessThan(2e-6);
    }
  });
});

describe('sample rate conversion', () => {
  const rates = [
    [44_100, 48_000],
    [48_000, 44_100],
    [44_100, 16_000],
    [16_000, 48_000],
    [96_000, 44_100],
    [8000, 44_100],
    [48_000, 8000],
    [11_025, 22_050],
  ] as const;
  it.each(rates)('%i to %i: level, length, images and aliases', (from, to) => {
    const frames = 3 * from + 7;
    const hz = Math.min(from, to) * 0.11;
    const path = writeWav(at('rate.wav'), [tone(frames, from, hz, -1)], from, 'f32');
    const out = readAll(path, { rate: to });
    expect(out.format.sampleRate).toBe(to);
    expect(Math.abs(out.frames - (frames * to) / from)).toBeLessThanOrEqual(1);
    expect(Math.abs((out.expectedFrames ?? 0) - out.frames)).toBeLessThanOrEqual(1);
    const inside = out.planes[0]!.subarray(
      to / 2,
      to / 2 + 65_536 > out.frames ? out.frames - to / 4 : to / 2 + 65_536,
    );
    expect(Math.abs(toneLevelDb(inside, to, hz) - -1)).toBeLessThan(0.05);
    expect(strongestBeside(spectrumOf(out.planes[0]!, to, 16_384, Math.floor(to / 4)), hz)).toBeLessThan(-1 - 90);
    // No delay: the same sine, computed at the new rate.
    const ideal = tone(out.frames, to, hz, -1);
    const middle = [Math.floor(out.frames / 4), Math.floor((3 * out.frames) / 4)] as const;
    expect(difference(out.planes[0]!.slice(...middle), ideal.slice(...middle))).toBeLessThan(fromDb(-60));
  });

  it('a tone above the new Nyquist frequency is gone by more than 90 dB', () => {
    const path = writeWav(at('above.wav'), [tone(3 * 48_000, 48_000, 9500, -1)], 48_000, 'f32');
    const out = readAll(path, { rate: 16_000 }).planes[0]!;
    expect(strongestBeside(spectrumOf(out, 16_000, 16_384, 8000), -1e9)).toBeLessThan(-91);
  });

  it('pass band within 0.05 dB up to 0.88 of Nyquist', () => {
    for (const hz of [50, 1000, 5000, 7040]) {
      const out = readAll(writeWav(at('pass.wav'), [tone(2 * 44_100, 44_100, hz, -3)], 44_100, 'f32'), { rate: 16_000 })
        .planes[0]!;
      expect(Math.abs(toneLevelDb(out.subarray(4000, 28_000), 16_000, hz) + 3), `${hz} Hz`).toBeLessThan(0.05);
    }
  });

  it('a conversion of a window starts and ends like the window', () => {
    const path = writeWav(at('window.wav'), [voice(4 * 44_100, 44_100, 9)], 44_100, 'f32');
    const whole = readAll(path, { rate: 48_000 }).planes[0]!;
    const part = readAll(path, { rate: 48_000, from: 2, to: 3 }).planes[0]!;
    expect(part.length).toBeGreaterThanOrEqual(47_999);
    expect(part.length).toBeLessThanOrEqual(48_001);
    expect(difference(part.slice(2000, 40_000), whole.slice(98_000, 136_000))).toBeLessThan(1e-3);
  });
});

describe('channels', () => {
  const frames = 4410;
  /** FL FR FC LFE BL BR, each a constant, so that a coefficient can be read off the output. */
  const six = Array.from({ length: 6 }, (_, n) => make(frames, () => 0.1 * (n + 1)));
  const level = (plane: Float32Array): number => plane[Math.floor(frames / 2)] as number;

  it('5.1 to stereo and mono by ITU-R BS.775-3, each channel at its own level', () => {
    const path = writeWav(at('six.wav'), six, rate, 'f32');
    expect(readAll(path).format.layout).toBe('5.1');
    const left = 0.1 + Math.SQRT1_2 * 0.3 + Math.SQRT1_2 * 0.5;
    const right = 0.2 + Math.SQRT1_2 * 0.3 + Math.SQRT1_2 * 0.6;
    const stereo = readAll(path, { channels: 2 });
    expect(stereo.format).toEqual({ sampleRate: rate, channels: 2, layout: 'stereo' });
    expect(level(stereo.planes[0]!)).toBeCloseTo(left, 6);
    expect(level(stereo.planes[1]!)).toBeCloseTo(right, 6);
    expect(level(readAll(path, { channels: 1 }).planes[0]!)).toBeCloseTo((left + right) / 2, 6);
    // All channels at full scale together go beyond it, and are not clipped here: what writes them limits them.
    const full = writeWav(
      at('full.wav'),
      six.map(() => make(frames, () => 1)),
      rate,
      'f32',
    );
    expect(level(readAll(full, { channels: 2 }).planes[0]!)).toBeCloseTo(1 + 2 * Math.SQRT1_2, 5);
  });

  it('one channel at a time gives the coefficients', () => {
    const half = Math.SQRT1_2;
    const expected = [
      [1, 0],
      [0, 1],
      [half, half],
      [0, 0],
      [half, 0],
      [0, half],
    ];
    for (const [n, [left, right]] of expected.entries()) {
      const path = writeWav(
        at('one.wav'),
        six.map((_, c) => make(frames, () => (c === n ? 1 : 0))),
        rate,
        'f32',
      );
      const out = readAll(path, { channels: 2 }).planes;
      expect(level(out[0]!)).toBeCloseTo(left as number, 6);
      expect(level(out[1]!)).toBeCloseTo(right as number, 6);
    }
  });

  it('mono to stereo copies, stereo to mono is the mean, with and without a new rate', () => {
    const mono = writeWav(at('mono.wav'), [planes[0]!], rate, 'f32');
    const stereo = readAll(mono, { channels: 2 });
    for (const plane of stereo.planes) expect(difference(plane, planes[0]!)).toBe(0);
    const both = writeWav(at('both.wav'), planes, rate, 'f32');
    const mean = make(planes[0]!.length, (i) => (planes[0]![i]! + planes[1]![i]!) / 2);
    expect(difference(readAll(both, { channels: 1 }).planes[0]!, mean)).toBeLessThan(1e-6);
    const resampled = readAll(both, { channels: 1, rate: 48_000 });
    expect(resampled.format).toEqual({ sampleRate: 48_000, channels: 1, layout: 'mono' });
    const meanAlone = readAll(writeWav(at('mean.wav'), [mean], rate, 'f32'), { rate: 48_000 }).planes[0]!;
    expect(difference(resampled.planes[0]!, meanAlone)).toBeLessThan(1e-5);
  });

  it.each([9, 12, 16, 24, 64])('%i channels, more than node-av has planes for', (count) => {
    const many = Array.from({ length: count }, (_, n) => noise(30_000, n + 1, 0.9));
    const path = writeWav(at('many.wav'), many, rate, 'f32');
    const sound = readAll(path);
    expect(sound.format.channels).toBe(count);
    for (const [n, plane] of sound.planes.entries()) expect(difference(plane, many[n]!)).toBe(0);
    // The same at another rate, channel by channel as it is alone.
    const last = readAll(writeWav(at('last.wav'), [many.at(-1)!], rate, 'f32'), { rate: 48_000 }).planes[0]!;
    expect(difference(readAll(path, { rate: 48_000 }).planes.at(-1)!, last)).toBeLessThan(1e-6);
    // And back into a file.
    const copy = readAll(writeAll(at('many-copy.wav'), many, rate, { format: 'wav', bitDepth: '32f' }).path);
    for (const [n, plane] of copy.planes.entries()) expect(difference(plane, many[n]!)).toBe(0);
    if (count !== 9) return;
    // Of nine channels no layout is known: even ones go to the left, odd ones to the right, each at its own level.
    const [left, right] = readAll(path, { channels: 2 }).planes;
    const sum = (from: number, i: number): number =>
      many.reduce((total, plane, n) => total + (n % 2 === from ? plane[i]! : 0), 0);
    for (const i of [0, 777, 29_999]) {
      expect(left![i]).toBeCloseTo(sum(0, i), 5);
      expect(right![i]).toBeCloseTo(sum(1, i), 5);
    }
  });
});

it('a wav of no known bit depth is refused, not misread', async () => {
  const bytes = wavBytes([planes[0]!], rate);
  bytes.writeUInt16LE(0x7777, 20);
  writeFileSync(at('odd.wav'), bytes);
  expect(['unsupported_format', 'file_invalid']).toContain((await thrownBy(() => readAll(at('odd.wav')))).code);
});

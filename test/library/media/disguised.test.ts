// Coded sound that travels as a WAV file of 16-bit PCM: it is found as FFmpeg finds it, and plain WAV is opened
// quickly.
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { holdsCodedSound } from '../../../src/library/kernels/coded-sound.ts';
import { isPlainWav } from '../../../src/library/media/ffmpeg/plain-wav.ts';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { ffmpeg, ffprobe, hasFfmpeg, needFfmpeg, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { seeded, voice } from '../../fixtures/media/signals.ts';
import { recording } from '../../fixtures/recordings.ts';

const at = scratch();
const rate = 48_000;
const headBytes = 256 * 1024;
const sound = [voice(6 * rate, rate, 3), voice(6 * rate, rate, 4)];

/** Bytes as the samples of a stereo WAV file, behind `silentBytes` of zeros. */
function disguise(path: string, bytes: Buffer, silentBytes = 0): string {
  const header = Buffer.alloc(44);
  const length = silentBytes + bytes.length - (bytes.length % 4);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 4, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(length, 40);
  writeFileSync(path, Buffer.concat([header, Buffer.alloc(silentBytes), bytes.subarray(0, length - silentBytes)]));
  return path;
}

const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();

/** What ffmpeg makes of the sound, as a raw stream. */
const kinds = {
  dts: ['-c:a', 'dca', '-strict', '-2', '-b:a', '768k', '-f', 'dts'],
  ac3: ['-c:a', 'ac3', '-b:a', '192k', '-f', 'ac3'],
  eac3: ['-c:a', 'eac3', '-b:a', '192k', '-f', 'eac3'],
  aac: ['-c:a', 'aac', '-f', 'adts'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '128k', '-f', 'mp3', '-id3v2_version', '0', '-write_xing', '0'],
  mp2: ['-c:a', 'mp2', '-b:a', '192k', '-f', 'mp2'],
  spdif: ['-c:a', 'ac3', '-b:a', '192k', '-f', 'spdif'],
  spdifDts: ['-c:a', 'dca', '-strict', '-2', '-b:a', '768k', '-f', 'spdif'],
} as const;

describe('coded sound under the name of PCM', () => {
  const streams = new Map<string, Buffer>();
  beforeAll(() => {
    writeWav(at('sound.wav'), sound, rate);
    if (!hasFfmpeg) return;
    for (const [kind, args] of Object.entries(kinds)) {
      ffmpeg('-i', at('sound.wav'), ...args, at(`stream.${kind}`));
      streams.set(kind, readFileSync(at(`stream.${kind}`)));
    }
  });

  const disguises: readonly (readonly [kind: string, swap: boolean])[] = [
    ...Object.keys(kinds).map((kind) => [kind, false] as const),
    ['ac3', true] as const,
    ['dts', true] as const,
    ['spdif', true] as const,
  ];
  for (const [kind, swap] of disguises)
    it(`${kind}${swap ? ', bytes of words swapped,' : ''} is seen, and is what ffprobe says`, async (context) => {
      needFfmpeg(context);
      const stream = streams.get(kind) ?? Buffer.alloc(0);
      expect(stream.length).toBeGreaterThan(20_000);
      const path = disguise(at(`${kind}-${swap}.wav`), swap ? swapped(stream) : stream);
      expect(isPlainWav(readFileSync(path).subarray(0, headBytes))).toBe(false);
      const truth = ffprobe(path).streams.find((one) => one.codec_type === 'audio');
      // ffmpeg 5.1 and 8.1 differ in what they make of channels of swapped words.
      const { audio } = await probe(path);
      expect(audio?.codec).toBe(truth?.codec_name);
      if (!swap) expect([audio?.sampleRate, audio?.channels]).toEqual([Number(truth?.sample_rate), truth?.channels]);
    });

  it('behind digital silence that is longer than the head it is still found', async (context) => {
    needFfmpeg(context);
    const path = disguise(at('late.wav'), streams.get('dts') ?? Buffer.alloc(0), 400_000);
    expect(isPlainWav(readFileSync(path).subarray(0, headBytes))).toBe(false);
    expect((await probe(path)).audio?.codec).toBe('dts');
  });
});

describe('plain WAV', () => {
  const noise = (frames: number, gain: number, seed: number): Float32Array => {
    const next = seeded(seed);
    return Float32Array.from({ length: frames }, () => (next() * 2 - 1) * gain);
  };

  it.each([
    ['voices', () => sound],
    ['loud noise', () => [noise(6 * rate, 1, 11), noise(6 * rate, 1, 12)]],
    ['noise of the last bits', () => [noise(6 * rate, 2 / 32_768, 13), noise(6 * rate, 8 / 32_768, 14)]],
    ['noise of four bits', () => [noise(6 * rate, 16 / 32_768, 15)]],
  ])('%s is taken for what it is', (name, planes) => {
    const path = at(`${name}.wav`);
    writeWav(path, planes(), rate);
    expect(isPlainWav(readFileSync(path).subarray(0, headBytes))).toBe(true);
  });

  it('a real recording is, too, and its samples come out the same however they are probed', () => {
    const path = recording('jfk.wav');
    const bytes = readFileSync(path);
    expect(isPlainWav(bytes.subarray(0, headBytes))).toBe(true);
    const source = openAudio(probe(path));
    const first = source.next();
    const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset + bytes.indexOf('data') + 8));
    expect(Array.from(first?.planes[0]?.subarray(0, 1000) ?? [], (one) => Math.round(one * 32_768))).toEqual([
      ...samples.subarray(0, 1000),
    ]);
    source.close();
  });

  it('other formats, silence to the end of the head, and heads without samples are left to FFmpeg', () => {
    const bytes = readFileSync(recording('jfk.wav'));
    const changed = (offset: number, value: number): Buffer => {
      const copy = Buffer.from(bytes);
      copy.writeUInt16LE(value, bytes.indexOf('fmt ') + 8 + offset);
      return copy.subarray(0, headBytes);
    };
    expect(isPlainWav(changed(0, 1))).toBe(true);
    expect(isPlainWav(changed(0, 0x55))).toBe(false);
    expect(isPlainWav(changed(14, 24))).toBe(false);
    expect(isPlainWav(bytes.subarray(0, 44))).toBe(false);
    expect(isPlainWav(bytes.subarray(0, 20))).toBe(false);
    expect(isPlainWav(readFileSync(disguise(at('silent.wav'), Buffer.alloc(300_000))).subarray(0, headBytes))).toBe(
      false,
    );
    expect(isPlainWav(Buffer.alloc(0))).toBe(false);
  });

  it('any bytes at all can be looked through', () => {
    const next = seeded(77);
    for (let length = 0; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, () =>
        next() < 0.5 ? [0xff, 0x0b, 0x77, 0x56, 0xe0][length % 5]! : next() * 256,
      );
      expect(typeof holdsCodedSound(bytes)).toBe('boolean');
    }
    expect(() => holdsCodedSound(new Float32Array(4) as unknown as Uint8Array)).toThrow(TypeError);
  });
});

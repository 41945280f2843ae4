// The length that is billed against the sound that decoding comes to, whatever a header says and wherever a file ends.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countFrames } from '../../../src/library/media/read/length.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { readablePictureSeconds } from '../../../src/library/media/read/readable-length.ts';
import {
  ffmpeg,
  hasFfmpeg,
  needFfmpeg,
  readableSeconds,
  readAll,
  scratch,
  writeAll,
} from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { noise } from '../../fixtures/media/signals.ts';
import { seeded } from '../../fixtures/random.ts';
import { eachOf, slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 16_000;
const seconds = 40;
const plane = noise(seconds * rate, 7, 0.3);
const seed = Number(process.env['EARSHOT_TEST_SEED'] ?? Math.floor(Math.random() * 1e6));
const random = seeded(seed);

/** What a header is made to say instead of the real length. */
const lies = { none: null, shorter: 1 / 40, longer: 30, missing: 0, absurd: 1e6 } as const;
type Lie = keyof typeof lies;

async function decodedSeconds(path: string): Promise<number> {
  const { frames, facts } = await countFrames(probe(path));
  return frames / (facts.audio?.sampleRate ?? rate);
}

interface Container {
  readonly make: (path: string) => unknown;
  /** Writes another length into the header; `factor` times the real one. */
  readonly lie: (bytes: Buffer, factor: number) => void;
}

const scaled32 = (bytes: Buffer, position: number, factor: number): void => {
  bytes.writeUInt32BE(Math.min(0xffff_fff0, Math.round(bytes.readUInt32BE(position) * factor)), position);
};

/** Duration fields of version 0 movie, track and media headers. */
function lieInMp4(bytes: Buffer, factor: number): void {
  for (const [box, offset] of [
    ['mvhd', 20],
    ['tkhd', 24],
    ['mdhd', 20],
  ] as const) {
    const found = bytes.indexOf(box, 0, 'latin1');
    expect(found).toBeGreaterThan(0);
    scaled32(bytes, found + offset, factor);
  }
}

function lieInMatroska(bytes: Buffer, factor: number): void {
  const found = bytes.indexOf(Buffer.from([0x44, 0x89, 0x88]));
  expect(found).toBeGreaterThan(0);
  bytes.writeDoubleBE(bytes.readDoubleBE(found + 3) * factor, found + 3);
}

const own: Readonly<Record<string, Container>> = {
  flac: {
    make: (path) => writeAll(path, [plane], rate, { format: 'flac' }),
    // STREAMINFO: 36 bits of samples, the upper four in byte 21.
    lie(bytes, factor) {
      const samples = Math.min(2 ** 36 - 1, Math.round(seconds * rate * factor));
      bytes[21] = ((bytes[21] ?? 0) & 0xf0) | Math.floor(samples / 2 ** 32);
      bytes.writeUInt32BE(samples % 2 ** 32, 22);
    },
  },
  wav: {
    make: (path) => writeWav(path, [plane], rate, 's16'),
    lie: (bytes, factor) =>
      void bytes.writeUInt32LE(
        Math.min(0xffff_ffff, Math.round(seconds * rate * 2 * factor)),
        bytes.indexOf('data') + 4,
      ),
  },
  mp3: {
    make: (path) => writeAll(path, [plane], rate, { format: 'mp3' }),
    lie: (bytes, factor) => scaled32(bytes, Math.max(bytes.indexOf('Xing'), bytes.indexOf('Info')) + 8, factor),
  },
  m4a: { make: (path) => writeAll(path, [plane], rate, { format: 'm4a' }), lie: lieInMp4 },
};

const byFfmpeg =
  (...options: string[]) =>
  (path: string): void => {
    const source = at('source.wav');
    writeWav(source, [plane], rate, 's16');
    ffmpeg('-i', source, ...options, path);
  };
const others: Readonly<Record<string, Container>> = {
  mkv: { make: byFfmpeg('-c:a', 'libopus'), lie: lieInMatroska },
  'flac.mkv': { make: byFfmpeg('-c:a', 'flac'), lie: lieInMatroska },
  'front.m4a': { make: byFfmpeg('-c:a', 'aac', '-movflags', '+faststart'), lie: lieInMp4 },
  'pieces.mp4': {
    make: byFfmpeg(
      '-c:a',
      'aac',
      '-movflags',
      '+frag_keyframe+empty_moov+default_base_moof',
      '-frag_duration',
      '2000000',
    ),
    lie: lieInMp4,
  },
};
if (!hasFfmpeg) console.log(`skipped ${Object.keys(others).join(', ')}: ffmpeg is not installed`);

describe('the readable length is what decoding comes to', () => {
  console.log(`seed ${seed}`);
  for (const [name, container] of Object.entries({ ...own, ...(hasFfmpeg ? others : {}) })) {
    eachOf(Object.keys(lies) as Lie[])(`${name}, header length: %s`, async (lie) => {
      const whole = at(`${lie}-whole.${name}`);
      container.make(whole);
      const bytes = readFileSync(whole);
      const factor = lies[lie];
      if (factor !== null) container.lie(bytes, factor);
      for (const share of [1, 0.15 + 0.7 * random(), 0.15 + 0.7 * random()]) {
        const path = at(`${lie}-${share.toFixed(3)}.${name}`);
        writeFileSync(path, bytes.subarray(0, Math.round(bytes.length * share)));
        const decoded = await decodedSeconds(path).catch(() => null);
        const readable = await readableSeconds(path).catch(() => null);
        // Encoders pad their last packets and decoders leave the padding out.
        if (decoded === null) expect(readable === null || readable < 0.3, `${share} of the file`).toBe(true);
        else
          expect(Math.abs((readable ?? 0) - decoded), `${share} of the file: ${readable} for ${decoded}`).toBeLessThan(
            0.3,
          );
        if (share === 1 && lie === 'shorter' && name !== 'wav') expect(readable).toBeGreaterThan(seconds - 1);
        if (share < 1 && lie === 'none' && readable !== null) expect(readable).toBeLessThan(seconds * 0.95);
      }
    });
  }

  it('holes and jumps of the clock count as the decoder counts them', slow, async (context) => {
    needFfmpeg(context);
    const source = at('hole-source.wav');
    writeWav(source, [plane], rate, 's16');
    for (const [jump, expected] of [
      [5, seconds + 5],
      [500, seconds],
    ] as const) {
      const path = at(`jump-${jump}.mkv`);
      ffmpeg('-i', source, '-c:a', 'aac', '-bsf:a', `setts=ts=TS+if(gte(TS\\,10000)\\,${jump * 1000}\\,0)`, path);
      const { frames } = await countFrames(probe(path));
      expect(frames / rate).toBeCloseTo(expected, 0);
      expect(Math.abs(((await readableSeconds(path)) ?? 0) - frames / rate)).toBeLessThan(0.3);
    }
  });

  it('packets whose times lie on top of each other count all the same', async (context) => {
    needFfmpeg(context);
    const source = at('dense-source.wav');
    writeWav(source, [plane], rate, 's16');
    const path = at('dense.mkv');
    ffmpeg('-i', source, '-c:a', 'aac', '-bsf:a', 'setts=ts=TS/40', path);
    expect((await probe(path)).durationSeconds).toBeLessThan(3);
    expect(Math.abs(((await readableSeconds(path)) ?? 0) - seconds)).toBeLessThan(0.3);
  });

  it('silence before sound that begins late counts once', slow, async (context) => {
    needFfmpeg(context);
    const source = at('late-source.wav');
    writeWav(source, [plane], rate, 's16');
    const picture = ['-f', 'lavfi', '-i', `testsrc2=s=64x64:r=5:d=${seconds}`];
    for (const [name, ...codecs] of [
      ['late.mkv', '-c:v', 'mpeg4', '-c:a', 'aac'],
      ['late.wmv', '-c:v', 'wmv2', '-c:a', 'wmav2'],
      ['late.mp4', '-c:v', 'mpeg4', '-c:a', 'aac'],
    ] as const) {
      const path = at(name);
      ffmpeg(...picture, '-itsoffset', '15', '-i', source, ...codecs, path);
      expect(Math.abs(((await readableSeconds(path)) ?? 0) - (seconds + 15)), name).toBeLessThan(0.3);
    }
  });

  it('what an edit list leaves out does not count', async (context) => {
    needFfmpeg(context);
    const source = at('edited-source.wav');
    writeWav(source, [plane], rate, 's16');
    const picture = ['-f', 'lavfi', '-i', `testsrc2=s=64x64:r=5:d=${seconds}`];
    const whole = at('edited-whole.mp4');
    // One key frame at the beginning: a copied piece carries all of it.
    ffmpeg(...picture, '-i', source, '-c:v', 'mpeg4', '-g', '600', '-c:a', 'aac', whole);
    const path = at('edited.mp4');
    ffmpeg('-ss', '30', '-i', whole, '-c', 'copy', path);
    expect(Math.abs(((await readableSeconds(path)) ?? 0) - (seconds - 30))).toBeLessThan(0.3);
    expect(Math.abs(((await readablePictureSeconds(path)) ?? 0) - (seconds - 30))).toBeLessThan(0.3);
  });

  it('pieces of different rates behind each other count as long as they play', slow, async (context) => {
    needFfmpeg(context);
    const source = at('rates-source.wav');
    writeWav(source, [plane], rate, 's16');
    const piece = (name: string, ...options: string[]): Buffer => {
      ffmpeg('-i', source, ...options, at(name));
      return readFileSync(at(name));
    };
    const raw = ['-write_xing', '0', '-id3v2_version', '0'];
    for (const [ending, codec, rates] of [
      ['mp3', ['-c:a', 'libmp3lame', ...raw], ['44100', '22050', '8000']],
      ['mp2', ['-c:a', 'mp2'], ['48000', '24000']],
      ['aac', ['-c:a', 'aac'], ['44100', '16000', '96000']],
    ] as const) {
      const pieces = rates.map((each) => piece(`rate-${each}.${ending}`, '-ar', each, ...codec));
      for (const order of [pieces, pieces.toReversed()]) {
        const path = at(`rates.${ending}`);
        writeFileSync(path, Buffer.concat(order));
        const { frames, facts } = await countFrames(probe(path));
        const decoded = frames / (facts.audio?.sampleRate ?? 0);
        expect(Math.abs(decoded - seconds * rates.length), ending).toBeLessThan(1);
        expect(Math.abs(((await readableSeconds(path)) ?? 0) - decoded), ending).toBeLessThan(0.5);
      }
    }
  });
});

it('the last packet of TTA counts as long as it is', async (context) => {
  needFfmpeg(context);
  const path = at('short.tta');
  ffmpeg('-i', writeWav(at('short.wav'), [plane.subarray(0, 1.3 * rate)], rate), path);
  expect(await readableSeconds(path)).toBeCloseTo(1.3, 3);
  // A block of it is over a second long, and half a block is not decoded.
  const cut = at('cut.tta');
  writeFileSync(cut, readFileSync(path).subarray(0, -1000));
  expect(Math.abs(((await readableSeconds(cut)) ?? 0) - readAll(cut).frames / rate)).toBeLessThan(0.01);
});

// A head that names its format against what follows, which may look like another.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { InputFormat } from 'node-av/lib';
import { namedFormat } from '../../../src/library/media/ffmpeg/named-format.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { readAll, scratch, writeAll } from '../../fixtures/media/media.ts';
import { wavBytes } from '../../fixtures/media/pcm-files.ts';

const at = scratch();

/** The first bytes of a file of each format, and FFmpeg's reader. */
const heads: readonly (readonly [hex: string, demuxer: string])[] = [
  ['524946463c57170057415645666d7420', 'wav'],
  ['52494658000000005741564500000000', 'wav'],
  ['5249465800000000574156450000', 'wav'],
  ['52463634ffffffff57415645', 'wav'],
  ['42573634ffffffff57415645', 'wav'],
  ['52494646000000004156492000', 'avi'],
  ['5249464600000000514c434d', 'qcp'],
  ['726966662e91cf11a5d628db04c10000', 'w64'],
  ['464f524d0000000041494646', 'aiff'],
  ['464f524d0000000041494643', 'aiff'],
  ['464f524d0000000038535658', 'iff'],
  ['46524d380000000000000000445344204656', 'iff'],
  ['445344201c00000000000000', 'dsf'],
  ['63616666000100006465736300000000', 'caf'],
  ['2e736e6400000018ffffffff', 'au'],
  ['78736e6400000018ffffffff', 'none'],
  ['664c614300000022', 'flac'],
  ['4f67675300020000', 'ogg'],
  ['3026b2758e66cf11a6d900aa', 'asf'],
  ['2321414d520a3c', 'amr'],
  ['000000206674797069736f6d', 'mov,mp4,m4a,3gp,3g2,mj2'],
  ['1a45dfa39f4286810142f7', 'matroska,webm'],
  ['464c560105000000', 'flv'],
  ['7776706b00000000', 'wv'],
  ['4d414320960f0000', 'ape'],
  ['5454413101000200', 'tta'],
  ['7442614b01000000', 'tak'],
  ['4d502b0700000000', 'mpc'],
  ['4d50434b53480000', 'mpc8'],
  ['2e524d4600000012', 'rm'],
  ['4e4953545f31410a20202031303234', 'nistsphere'],
  ['6561330300000000', 'oma'],
  ['060e2b34020501010d01020101020400', 'mxf'],
  ['4944330300000000', 'none'],
  ['474011100042f025', 'none'],
  ['', 'none'],
];

it.each(heads)('a head of %s is %s', (hex, demuxer) => {
  expect(namedFormat(Buffer.from(hex, 'hex'))?.name ?? 'none').toBe(demuxer);
});

it('a tone whose samples repeat like the packets of MPEG-TS is read as the WAV that it is', () => {
  // 5 kHz at 96 kHz: half a period is 38.4 bytes, and each 192 bytes the mantissas return.
  const levels = Array.from({ length: 12 }, (_, step) => 0.05 + 0.03 * step);
  const files = levels.map((level, index) => {
    const tone = Float32Array.from({ length: 96_000 }, (_, n) => level * Math.sin((2 * Math.PI * 5000 * n) / 96_000));
    const bytes = wavBytes([tone], 96_000, 'f32');
    writeFileSync(at(`tone${index}.wav`), bytes);
    return { bytes, path: at(`tone${index}.wav`) };
  });
  // So the files are what this is about.
  expect(files.map(({ bytes }) => InputFormat.probe(bytes.subarray(0, 262_144))?.name)).toContain('mpegts');
  for (const { path } of files) expect(probe(path)).toMatchObject({ format: 'wav', durationSeconds: 1 });
});

it.each(['wav', 'rf64', 'aiff', 'm4a', 'flac', 'opus'])(
  '%s is read behind an ID3 tag that a tagger put there',
  (name) => {
    const rate = 48_000;
    const plane = Float32Array.from({ length: rate }, (_, n) => 0.5 * Math.sin(n / 10));
    const path = at(`tagged.${name === 'rf64' ? 'wav' : name}`);
    if (name === 'rf64') {
      const bytes = wavBytes([plane], rate);
      // RF64 whose sizes are all in its ds64 chunk.
      const long = Buffer.alloc(36);
      long.write('ds64', 0);
      long.writeUInt32LE(28, 4);
      long.writeBigUInt64LE(BigInt(bytes.length + 28), 8);
      long.writeBigUInt64LE(BigInt(2 * rate), 16);
      bytes.write('RF64', 0);
      bytes.writeUInt32LE(0xffff_ffff, 4);
      bytes.writeUInt32LE(0xffff_ffff, 40);
      writeFileSync(path, Buffer.concat([bytes.subarray(0, 12), long, bytes.subarray(12)]));
    } else writeAll(path, [plane], rate, { format: name as 'wav' });
    const whole = readAll(path);
    // Of 5,094 bytes, the last of which are padding.
    const tag = Buffer.concat([Buffer.from('49443304000000002766', 'hex'), Buffer.alloc(0x27 * 128 + 0x66)]);
    writeFileSync(path, Buffer.concat([tag, readFileSync(path)]));
    const tagged = readAll(path);
    expect(tagged.facts.format).toBe(whole.facts.format);
    expect(tagged.warnings).toEqual([]);
    expect(tagged.planes[0]).toEqual(whole.planes[0]);
  },
);

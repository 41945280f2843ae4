// Tags and covers that would cost more than they are worth.
import { readFileSync, writeFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Codec } from 'node-av/lib';
import {
  AV_CODEC_ID_AV1,
  AV_CODEC_ID_BINKAUDIO_DCT,
  AV_CODEC_ID_H264,
  AV_CODEC_ID_MP3,
  AV_CODEC_ID_OPUS,
  AV_CODEC_ID_PCM_S16LE,
  AV_CODEC_ID_ZMBV,
} from 'node-av/constants';
import { id3Frame, id3Tag } from '../../../../src/library/media/tags/id3-frames.ts';
import { decodersFor, findDecoder } from '../../../../src/library/media/ffmpeg/decoders.ts';
import { pictureSize } from '../../../../src/library/media/tags/picture-size.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { ffmpeg, needFfmpeg, scratch, thrownBy, writeAll } from '../../../fixtures/media/media.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { voice } from '../../../fixtures/media/signals.ts';
import { convertAudio } from '../../../../src/library/tools/convert_audio/tool.ts';
import { slow } from '../../../fixtures/rounds.ts';

const at = scratch();
const rate = 44_100;
const planes = [voice(rate, rate, 1)];

/** Sound without a tag of its own. */
function bareMp3(): Buffer {
  const sound = readFileSync(writeAll(at('bare.mp3'), planes, rate, { format: 'mp3' }).path);
  return sound.subarray(10 + ((sound[8] ?? 0) << 7) + (sound[9] ?? 0));
}

const text = (name: string, value: string): Buffer => id3Frame('TXXX', Buffer.from(`\0${name}\0${value}`, 'latin1'));

/** A PNG of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const;
    ends[0].writeUInt32BE(data.length);
    ends[1].writeUInt32BE(crc32(body));
    return Buffer.concat([ends[0], body, ends[1]]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const rows = deflateSync(Buffer.alloc((width * 3 + 1) * height), { level: 1 });
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([magic, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

const cover = (picture: Buffer): Buffer => id3Frame('APIC', Buffer.from('\0image/png\0\x03\0', 'latin1'), picture);

function mp3With(name: string, frames: readonly Buffer[]): string {
  writeFileSync(at(name), Buffer.concat([id3Tag(frames), bareMp3()]));
  return at(name);
}

describe('tags', () => {
  const many = (count: number): Buffer[] => Array.from({ length: count }, (_, n) => text(`name ${n}`, 'x'));

  it('of more entries than any recording has are refused before FFmpeg looks at them', slow, async () => {
    const refusal = { code: 'file_invalid', message: expect.stringContaining('at most 4096 entries') as string };
    expect(await thrownBy(() => probe(mp3With('flood.mp3', many(400_000))))).toMatchObject(refusal);
    // Behind chapters and pictures, stuffed, in a WAV, and in Vorbis comments.
    const behind = [id3Frame('ABCD', Buffer.alloc(200_000)), ...many(5000)];
    expect(await thrownBy(() => probe(mp3With('behind.mp3', behind)))).toMatchObject(refusal);
    const stuffed = id3Tag(many(5000));
    stuffed[5] = 0x80;
    writeFileSync(at('stuffed.mp3'), Buffer.concat([stuffed, bareMp3()]));
    expect(await thrownBy(() => probe(at('stuffed.mp3')))).toMatchObject(refusal);
    const wav = readFileSync(writeAll(at('plain.wav'), planes, rate, { format: 'wav' }).path);
    const tag = id3Tag(many(5000));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(tag.length);
    writeFileSync(at('tagged.wav'), Buffer.concat([wav, Buffer.from('id3 ', 'latin1'), size, tag]));
    expect(await thrownBy(() => probe(at('tagged.wav')))).toMatchObject(refusal);
    const tags = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`NAME${n}`, 'x']));
    for (const format of ['flac', 'ogg', 'opus'] as const) {
      const path = at(`flood.${format}`);
      // What we would not read we do not write either: a finished file is compared with what it should hold.
      expect(
        await thrownBy(() => writeAll(path, planes, format === 'opus' ? 48_000 : rate, { format, tags })),
      ).toMatchObject(refusal);
      expect(await thrownBy(() => probe(path))).toMatchObject(refusal);
    }
  });

  it('go on with 256 entries of at most 64 KiB', async () => {
    const { tags } = await probe(mp3With('long.mp3', [text('long', 'x'.repeat(70_000)), ...many(300)]));
    expect(Object.keys(tags)).toHaveLength(256);
    expect(tags['name 0']).toBe('x');
    expect(tags['long']).toBeUndefined();
  });
});

describe('decoders', () => {
  it('that nobody needs are out of reach, and the others are named as FFmpeg names them', () => {
    expect(() => findDecoder(AV_CODEC_ID_ZMBV, 'picture')).toThrow(/usual codecs but this file has "zmbv"/);
    expect(() => findDecoder(AV_CODEC_ID_BINKAUDIO_DCT, 'sound')).toThrow(/usual codecs/);
    const missing = decodersFor(true)
      .split(',')
      .filter((name) => Codec.findDecoderByName(name as never) === null);
    expect(missing).toEqual([]);
    for (const id of [AV_CODEC_ID_H264, AV_CODEC_ID_AV1, AV_CODEC_ID_OPUS, AV_CODEC_ID_MP3, AV_CODEC_ID_PCM_S16LE])
      expect(findDecoder(id, 'sound').name).not.toBe('');
  });
});

describe('covers', () => {
  it('are never decoded: one of 144 megapixels costs nothing and travels as it is', slow, async () => {
    const picture = png(12_000, 12_000);
    const path = mp3With('bomb.mp3', [cover(picture)]);
    const before = process.resourceUsage().maxRSS;
    expect((await probe(path)).cover).toEqual({ codec: 'png', width: 12_000, height: 12_000 });
    // Decoded it takes 432 MB.
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(150);
    const { outputs } = await runTool(convertAudio, { file_id: [path] }, { format: 'flac' }, at('out'));
    const written = readFileSync(outputs[0]?.path ?? '');
    expect(written.includes(picture)).toBe(true);
    expect((await probe(outputs[0]?.path ?? '')).cover).toEqual({ codec: 'png', width: 12_000, height: 12_000 });
  });

  it('have the size that their headers say', (context) => {
    expect(pictureSize(png(7, 9))).toEqual({ width: 7, height: 9 });
    for (const junk of [
      Buffer.alloc(0),
      Buffer.alloc(100),
      Buffer.from('\xff\xd8\xff\xc0', 'latin1'),
      png(7, 9).subarray(0, 20),
    ])
      expect(pictureSize(junk)).toBeNull();
    // A JPEG whose markers lead out of it.
    expect(
      pictureSize(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff]), Buffer.alloc(40)])),
    ).toBeNull();
    needFfmpeg(context);
    for (const [codec, size] of [
      ['mjpeg', '44x30'],
      ['png', '32x20'],
      ['gif', '18x12'],
      ['bmp', '20x22'],
    ] as const) {
      const [width, height] = size.split('x').map(Number);
      const bytes = ffmpeg(
        '-f',
        'lavfi',
        '-i',
        `color=red:s=${size}`,
        '-frames:v',
        '1',
        '-c:v',
        codec,
        '-f',
        codec === 'gif' ? 'gif' : 'image2pipe',
        '-',
      );
      expect(pictureSize(bytes), codec).toEqual({ width, height });
    }
  });
});

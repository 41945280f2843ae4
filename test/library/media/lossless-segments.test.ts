// @module-tag slow
// FLAC and ALAC that are encoded in segments on threads: the file of one encode, byte for byte.
import { spawnSync } from 'node:child_process';
import type { Packet } from 'node-av/lib';
import { FF_ENCODER_ALAC } from 'node-av/constants';
import { afterAll, describe, expect, it } from 'vitest';
import { outputFormats } from '../../../src/library/media/formats.ts';
import { AudioEncoder, type AudioEncoderOptions } from '../../../src/library/media/write/audio-encoder.ts';
import type { EncodeOptions } from '../../../src/library/media/write/encode.ts';
import { type CodedPacket, codedPacket } from '../../../src/library/media/write/segments/coded-packet.ts';
import { numberedFrame } from '../../../src/library/media/write/segments/flac-frame.ts';
import { createFanOut } from '../../../src/library/runtime/fan-out.ts';
import { decodeByFfmpeg, hasFfmpeg, scratch } from '../../fixtures/media/media.ts';
import { encodeBlocks, programme } from '../../fixtures/media/programme.ts';
import { skipForMissing } from '../../fixtures/missing-part.ts';
import { addMoreJoiners } from '../../../src/library/media/write/segments/more-joiners.ts';

addMoreJoiners();

const at = scratch();
const stopping = new AbortController();
const { signal } = stopping;
const threads = { fanOut: createFanOut(2, signal), signal };
afterAll(() => stopping.abort());

describe('FLAC', () => {
  const cases: [EncodeOptions, number, number][] = [
    [{ format: 'flac', bitDepth: '16' }, 44_100, 2],
    [{ format: 'flac', bitDepth: '16', dither: true }, 44_100, 2],
    [{ format: 'flac', bitDepth: '16', dither: true }, 48_000, 1],
    [{ format: 'flac', bitDepth: '16', dither: true }, 8000, 1],
    [{ format: 'flac', bitDepth: '24' }, 96_000, 2],
    [{ format: 'flac', bitDepth: '24' }, 192_000, 2],
  ];
  it.each(cases)('%o at %i Hz with %i channels', async (options, hz, channels) => {
    // The first joints are at 4 s or a little before, the last segment is short.
    const planes = programme(hz > 48_000 ? 13 : 34, hz).slice(0, channels);
    const divided = { ...options, segmentSeconds: hz === 8000 ? 20 : 4 };
    const alone = await encodeBlocks(at('alone.flac'), planes, hz, divided);
    const together = await encodeBlocks(at('together.flac'), planes, hz, divided, threads);
    expect(alone.joints).toEqual([]);
    expect(together.joints.length).toBeGreaterThan(0);
    expect(together.bytes.equals(alone.bytes)).toBe(true);
  });

  // FFmpeg's dither goes on where the last packet is short, and begins anew where it is not.
  it.each([0, 1, 3000, 4608, 4609])('the sound ends %i frames after a segment has begun', async (beyond) => {
    const planes = programme(14, 44_100).map((plane) => plane.subarray(0, 28 * 4608 * 3 + beyond));
    const options: EncodeOptions = { format: 'flac', segmentSeconds: 2.93, dither: true, expectedSeconds: 60 };
    const alone = await encodeBlocks(at('end.flac'), planes, 44_100, options);
    const together = await encodeBlocks(at('end-2.flac'), planes, 44_100, options, threads);
    expect(together.joints.length).toBe(beyond > 4608 ? 3 : 2);
    expect(together.bytes.equals(alone.bytes)).toBe(true);
  });

  it('is expected and does not come: the file of no sound', async () => {
    const options: EncodeOptions = { format: 'flac', segmentSeconds: 3, expectedSeconds: 60 };
    const none = [new Float32Array(0)];
    const alone = await encodeBlocks(at('none.flac'), none, 44_100, options);
    expect((await encodeBlocks(at('none-2.flac'), none, 44_100, options, threads)).bytes.equals(alone.bytes)).toBe(
      true,
    );
  });

  it('flac and ffmpeg read it without a word, to the sample', async (context) => {
    const planes = programme(14, 44_100).map((plane) => plane.subarray(0, 600_001));
    const { path, joints } = await encodeBlocks(
      at('read.flac'),
      planes,
      44_100,
      { format: 'flac', segmentSeconds: 3 },
      threads,
    );
    expect(joints.length).toBe(4);
    const tested = spawnSync('flac', ['--totally-silent', '--test', '--warnings-as-errors', path]);
    if (tested.error) skipForMissing(context, 'flac not installed');
    expect([tested.status, tested.stderr.toString()]).toEqual([0, '']);
    if (!hasFfmpeg) return;
    expect(spawnSync('ffmpeg', ['-v', 'warning', '-i', path, '-f', 'null', '-']).stderr.toString()).toBe('');
    expect(decodeByFfmpeg(path).planes[0]?.length).toBe(600_001);
  });
});

it('numbers of frames keep both checksums right, whatever their length', async () => {
  const packets: CodedPacket[] = [];
  const encoder = new AudioEncoder(
    { sampleRate: 44_100, channels: 1, layout: 'mono' },
    { encoder: 'flac' as AudioEncoderOptions['encoder'], limits: outputFormats.flac, globalHeader: false },
    (packet) => packets.push(codedPacket(packet)),
  );
  const [plane] = programme(1, 44_100);
  encoder.write({ planes: [plane.subarray(0, 9000)], frames: 9000 });
  await encoder.finish();
  encoder.close();
  const crc = (bytes: Uint8Array, bits: number, polynomial: number): number => {
    let sum = 0;
    for (const byte of bytes)
      for (let bit = 7; bit >= 0; bit -= 1) {
        const out = ((sum >> (bits - 1)) ^ (byte >> bit)) & 1;
        sum = ((sum << 1) ^ (out ? polynomial : 0)) & (2 ** bits - 1);
      }
    return sum;
  };
  // The whole one, and the shorter last one, which says its length.
  expect(packets.map(({ duration }) => duration).slice(0, 2)).toEqual([4608, 4392]);
  for (const [index, extra] of [0, 2].entries())
    for (const [number, coded] of [
      [0x7f, [0x7f]],
      [0x80, [0xc2, 0x80]],
      [0x7ff, [0xdf, 0xbf]],
      [0x800, [0xe0, 0xa0, 0x80]],
      [0xffff, [0xef, 0xbf, 0xbf]],
      [0x1_0000, [0xf0, 0x90, 0x80, 0x80]],
      [0x20_0000, [0xf8, 0x88, 0x80, 0x80, 0x80]],
      [0x7fff_ffff, [0xfd, 0xbf, 0xbf, 0xbf, 0xbf, 0xbf]],
    ] as const) {
      const data = packets[index]?.data ?? new Uint8Array();
      const frame = numberedFrame(data, number);
      expect([...frame.subarray(4, 4 + coded.length)]).toEqual([...coded]);
      const header = 4 + coded.length + extra;
      expect(frame[header]).toBe(crc(frame.subarray(0, header), 8, 0x07));
      expect(crc(frame, 16, 0x8005)).toBe(0);
      expect([...numberedFrame(frame, index)]).toEqual([...data]);
    }
});

it.each(['16', '24'] as const)('ALAC of %s bits has the packets of one encode', async (bitDepth) => {
  const planes = programme(14, 48_000);
  const encoded = async (on: typeof threads | null): Promise<[object[], number]> => {
    const packets: CodedPacket[] = [];
    let joints = 0;
    const encoder = new AudioEncoder(
      { sampleRate: 48_000, channels: 2, layout: 'stereo' },
      {
        encoder: FF_ENCODER_ALAC,
        limits: outputFormats.flac,
        globalHeader: true,
        bitDepth,
        dither: true,
        expectedSeconds: 14,
        segmentSeconds: 3,
        threads: on,
        onJoint: () => (joints += 1),
      },
      (packet: Packet) => packets.push(codedPacket(packet)),
      0.5,
    );
    for (let from = 0; from < planes[0].length; from += 30_000) {
      const part = planes.map((plane) => plane.slice(from, from + 30_000));
      encoder.write({ planes: part, frames: part[0]?.length ?? 0 });
      await encoder.ready();
    }
    await encoder.finish();
    encoder.close();
    return [packets.map(({ data, ...rest }) => ({ ...rest, data: Buffer.from(data).toString('base64') })), joints];
  };
  const [alone] = await encoded(null);
  const [together, joints] = await encoded(threads);
  expect(joints).toBeGreaterThan(0);
  expect(together).toEqual(alone);
});

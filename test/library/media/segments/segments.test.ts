// @module-tag slower
// Sound that is encoded in segments: the same bytes with and without threads, and files that other decoders read to the
// sample and without a warning.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { CodecContext, Packet } from 'node-av/lib';
import { AV_SAMPLE_FMT_FLTP, FF_ENCODER_LIBMP3LAME } from 'node-av/constants';
import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { AbortError } from '../../../../src/library/core/abort.ts';
import type { FanOut } from '../../../../src/library/core/machine/fan-out.ts';
import { type EncodeOptions, openEncoder } from '../../../../src/library/media/write/encode.ts';
import {
  openCodec,
  type OpenedCodec,
  openPacketEncoder,
} from '../../../../src/library/media/write/codec/packet-encoder.ts';
import { type CodedPacket, codedPacket } from '../../../../src/library/media/write/segments/coded-packet.ts';
import { InTurn } from '../../../../src/library/media/write/segments/in-turn.ts';
import type { Joiner } from '../../../../src/library/media/write/segments/joiner.ts';
import { OnThreads, type Threads } from '../../../../src/library/media/write/segments/on-threads.ts';
import { type SegmentRules, segmentRules } from '../../../../src/library/media/write/segments/rules.ts';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';
import { skipForMissing } from '../../../fixtures/missing-part.ts';
import { decodeByFfmpeg, hasFfmpeg, readAll, scratch } from '../../../fixtures/media/media.ts';
import { type Encoded, encodeBlocks, programme } from '../../../fixtures/media/programme.ts';
import { difference } from '../../../fixtures/media/signals.ts';

const at = scratch();
const rate = 44_100;
const stopping = new AbortController();
const { signal } = stopping;
const threads = { fanOut: createFanOut(2, signal), signal };
afterAll(() => stopping.abort());

const encode = (
  name: string,
  planes: readonly Float32Array[],
  hz: number,
  options: EncodeOptions,
  on: Threads | null = null,
): Promise<Encoded> => encodeBlocks(at(`${name}.${options.format}`), planes, hz, options, on);

const cases: [EncodeOptions, number][] = [
  [{ format: 'mp3', segmentSeconds: 8 }, rate],
  [{ format: 'mp3', segmentSeconds: 8, bitrateKbps: 64 }, 48_000],
  [{ format: 'mp3', segmentSeconds: 8, bitrateKbps: 320 }, 32_000],
  [{ format: 'mp3', segmentSeconds: 8, bitrateKbps: 40 }, 22_050],
  [{ format: 'ogg', segmentSeconds: 4 }, rate],
  [{ format: 'opus', segmentSeconds: 3 }, 48_000],
  [{ format: 'm4a', segmentSeconds: 6 }, rate],
  [{ format: 'aac', segmentSeconds: 6 }, rate],
];

describe('the same bytes with threads and without', () => {
  it.each(cases)('%o at %i Hz', async (options, hz) => {
    const planes = programme(22, hz);
    const alone = await encode('alone', planes, hz, options);
    const together = await encode('together', planes, hz, options, threads);
    expect(alone.joints.length).toBeGreaterThan(0);
    expect(together.joints).toEqual(alone.joints);
    expect(together.bytes.equals(alone.bytes)).toBe(true);
  });

  it('of one channel', async () => {
    const [plane] = programme(20, rate);
    const alone = await encode('mono', [plane], rate, { format: 'mp3', segmentSeconds: 8 });
    const together = await encode('mono-2', [plane], rate, { format: 'mp3', segmentSeconds: 8 }, threads);
    expect(together.bytes.equals(alone.bytes)).toBe(true);
  });

  // 8.96 s is the segment of 343 frames; its overlap ends 260 frames later.
  it.each([0, 1, 8 * 1152, 260 * 1152, 260 * 1152 + 1])(
    'the sound ends %i frames after a segment has begun',
    async (beyond) => {
      const total = 343 * 1152 + beyond;
      const planes = programme(20, rate).map((plane) => plane.subarray(0, total));
      const options: EncodeOptions = { format: 'mp3', segmentSeconds: 8.96, expectedSeconds: 60 };
      const alone = await encode('end', planes, rate, options);
      const together = await encode('end-2', planes, rate, options, threads);
      expect(together.bytes.equals(alone.bytes)).toBe(true);
      const { frames } = readAll(together.path);
      // LAME's tag cannot say that a last frame has under 47 samples.
      expect(Math.abs(frames - total)).toBeLessThanOrEqual(46);
    },
  );
});

describe('where no joint is found, the earlier encode goes on', () => {
  const segmentsLong = programme(30, rate);
  const settings = {
    encoder: FF_ENCODER_LIBMP3LAME,
    sampleRate: rate,
    channels: 2,
    layout: 'stereo',
    sampleFormat: AV_SAMPLE_FMT_FLTP,
    kbps: 128,
    dither: false,
    globalHeader: false,
  } as const;
  const rules = segmentRules(settings, null, 8) as SegmentRules;
  const opened = (): OpenedCodec => ({ context: openCodec(settings) as CodecContext, settings });

  /** What comes of all packets, in order: times and bytes. */
  async function packetsOf(
    joins: (pts: number) => boolean,
    on: Threads | null,
    planes: readonly Float32Array[] = segmentsLong,
  ): Promise<CodedPacket[]> {
    const packets: CodedPacket[] = [];
    const joiner: Joiner = {
      ...rules.joiner,
      join: (earlier, earlierAt, later, laterAt) =>
        joins(later[laterAt]?.pts ?? 0) ? rules.joiner.join(earlier, earlierAt, later, laterAt) : null,
    };
    const taker = {
      own: (packet: Packet) => void packets.push(codedPacket(packet)),
      coded: (packet: CodedPacket) => void packets.push(packet),
    };
    const engine = on
      ? new OnThreads(settings, { ...rules, joiner }, 0, { ...on, lanes: 2 }, taker)
      : new InTurn(opened(), { ...rules, joiner }, 0, taker);
    for (let from = 0; from < (planes[0]?.length ?? 0); from += rate) {
      const part = planes.map((plane) => plane.slice(from, from + rate));
      engine.write(part, part[0]?.length ?? 0);
      if (engine instanceof OnThreads) await engine.ready();
    }
    await engine.finish();
    engine.close();
    return packets;
  }

  function packetsInOneGo(planes: readonly Float32Array[] = segmentsLong): CodedPacket[] {
    const packets: CodedPacket[] = [];
    const encoder = openPacketEncoder(settings, 0, (packet) => packets.push(codedPacket(packet)));
    encoder.write(planes, planes[0]?.length ?? 0);
    encoder.finish();
    encoder.close();
    return packets;
  }

  /** Hashes in the place of bytes: a failure is printed in seconds, not in minutes. */
  const shown = (packets: readonly CodedPacket[]): object[] =>
    packets.map(({ data, ...rest }) => ({ ...rest, data: createHash('sha256').update(data).digest('hex') }));

  const wheres: readonly (readonly [string, (pts: number) => boolean])[] = [
    ['at the first and the last only', (pts) => pts < 1.5 * rules.length || pts > 2.5 * rules.length],
    ['at no segment', () => false],
    ['at the last only', (pts) => pts > 2.5 * rules.length],
  ];
  it.each(wheres)('joints %s', async (_, joins) => {
    const alone = await packetsOf(joins, null);
    expect(shown(await packetsOf(joins, threads))).toEqual(shown(alone));
    const whole = packetsInOneGo();
    expect(alone.map(({ pts, data }) => [pts, data.length])).toEqual(whole.map(({ pts, data }) => [pts, data.length]));
    if (!joins(0)) expect(shown(alone.slice(0, 500))).toEqual(shown(whole.slice(0, 500)));
  });

  it('three times in a row, and no more segments are encoded', async () => {
    const long = programme(96, rate);
    // The fourth joint would be one.
    const joins = (pts: number): boolean => pts >= 4 * rules.length;
    let encoded = 0;
    const counting: FanOut = {
      ...threads.fanOut,
      lanes: (...each) => threads.fanOut.lanes(...each),
      map: (...each) => {
        encoded += 1;
        return threads.fanOut.map(...each);
      },
    };
    const whole = shown(packetsInOneGo(long));
    expect(shown(await packetsOf(joins, null, long))).toEqual(whole);
    expect(shown(await packetsOf(joins, { fanOut: counting, signal }, long))).toEqual(whole);
    // Of twelve: three that were not joined, the first, and those that were under way.
    expect(encoded).toBeLessThanOrEqual(9);
  });
});

describe('other decoders', () => {
  const run = (context: TestContext, command: string, ...args: string[]): string => {
    const ran = spawnSync(command, args);
    if (ran.error) skipForMissing(context, `${command} not installed`);
    expect(ran.status, `${command}: ${ran.stderr.toString().slice(-800)}`).toBe(0);
    return ran.stderr.toString();
  };
  const dataBytes = (wav: string): number => {
    const bytes = readFileSync(wav);
    return bytes.length - bytes.indexOf('data') - 8;
  };
  const total = Math.round(23.45 * 48_000);
  const planes = programme(24, 48_000).map((plane) => plane.subarray(0, total));

  it.each(['mp3', 'ogg', 'opus', 'm4a'] as const)('ffmpeg reads %s without a word, to the sample', async (format) => {
    if (!hasFfmpeg) return;
    const segmentSeconds = format === 'mp3' ? 8 : 6;
    const { path, joints } = await encode('other', planes, 48_000, { format, segmentSeconds }, threads);
    expect(joints.length).toBeGreaterThan(0);
    const { stderr } = spawnSync('ffmpeg', ['-v', 'warning', '-i', path, '-f', 'null', '-']);
    expect(stderr.toString()).toBe('');
    // ffmpeg 5.1 keeps the padding of an MP4's last frame.
    const surplus = (decodeByFfmpeg(path).planes[0]?.length ?? 0) - total;
    expect(surplus).toBeGreaterThanOrEqual(0);
    expect(surplus).toBeLessThanOrEqual(format === 'm4a' ? 1024 : 0);
  });

  it('mpg123 and lame read an MP3', async (context) => {
    const { path } = await encode('other', planes, 48_000, { format: 'mp3', segmentSeconds: 8 }, threads);
    const wav = at('other.wav');
    expect(run(context, 'mpg123', '-q', '-w', wav, path)).toBe('');
    expect(dataBytes(wav)).toBe(total * 4);
    expect(run(context, 'lame', '--decode', '--silent', path, wav)).toBe('');
    expect(dataBytes(wav)).toBe(total * 4);
  });

  it('opusdec and oggdec read theirs', async (context) => {
    const wav = at('other.wav');
    const opus = await encode('other', planes, 48_000, { format: 'opus', segmentSeconds: 3 }, threads);
    expect(run(context, 'opusdec', '--quiet', opus.path, wav)).toBe('');
    expect(dataBytes(wav)).toBe(total * 4);
    const ogg = await encode('other', planes, 48_000, { format: 'ogg', segmentSeconds: 4 }, threads);
    expect(run(context, 'oggdec', '--quiet', '-o', wav, ogg.path)).toBe('');
    expect(dataBytes(wav)).toBe(total * 4);
  });
});

describe('what joints cost', () => {
  it.each([64, 192])('an MP3 of %i kbit/s decodes to the same samples as one encoded in one go', async (kbps) => {
    const planes = programme(32, rate);
    const options = { format: 'mp3', bitrateKbps: kbps } as const;
    const whole = await encode('whole', planes, rate, { ...options, segmentSeconds: Number.POSITIVE_INFINITY });
    const parts = await encode('parts', planes, rate, { ...options, segmentSeconds: 8 });
    expect(parts.joints.length).toBeGreaterThan(1);
    expect(parts.bytes.length).toBe(whole.bytes.length);
    const [before, after] = [readAll(whole.path), readAll(parts.path)];
    for (const [channel, plane] of after.planes.entries()) expect(difference(plane, before.planes[channel]!)).toBe(0);
  });

  /** Signal to noise in dB, within 50 ms of a place. */
  function snr(planes: readonly Float32Array[], path: string, hz: number, seconds: number): number {
    const decoded = readAll(path).planes;
    let [signalPower, error] = [0, 1e-12];
    for (let i = Math.round((seconds - 0.05) * hz); i < Math.round((seconds + 0.05) * hz); i += 1)
      for (const [channel, plane] of planes.entries()) {
        const sample = plane[i] ?? 0;
        signalPower += sample ** 2;
        error += (sample - (decoded[channel]?.[i] ?? 0)) ** 2;
      }
    return 10 * Math.log10((signalPower + 1e-12) / error);
  }

  it.each([
    ['opus', 3, 48_000, 0.2],
    ['ogg', 4, rate, 0.1],
  ] as const)('%s in segments of %i s', async (format, segmentSeconds, hz, mostDb) => {
    const planes = programme(30, hz);
    const whole = await encode('whole', planes, hz, { format, segmentSeconds: Number.POSITIVE_INFINITY });
    const parts = await encode('parts', planes, hz, { format, segmentSeconds });
    expect(parts.joints.length).toBeGreaterThan(1);
    for (const joint of parts.joints)
      expect(snr(planes, parts.path, hz, joint) - snr(planes, whole.path, hz, joint), `at ${joint} s`).toBeGreaterThan(
        -mostDb,
      );
  });

  // Its rate control needs longer than any overlap: an encode that began some seconds earlier is what it can be.
  it.each(['m4a', 'aac'] as const)('%s is as good as one that began five seconds before', async (format) => {
    const segmentSeconds = 12;
    const planes = programme(30, rate);
    const whole = await encode('whole', planes, rate, { format, segmentSeconds: Number.POSITIVE_INFINITY });
    const parts = await encode('parts', planes, rate, { format, segmentSeconds });
    expect(parts.joints.length).toBeGreaterThan(1);
    for (const joint of parts.joints) {
      const from = Math.round((joint - 5) * rate);
      const tail = planes.map((plane) => plane.slice(from));
      const later = await encode('later', tail, rate, { format, segmentSeconds: Number.POSITIVE_INFINITY });
      const known = Math.min(snr(planes, whole.path, rate, joint), snr(tail, later.path, rate, joint - from / rate));
      expect(snr(planes, parts.path, rate, joint), `at ${joint} s`).toBeGreaterThan(known - 0.5);
    }
  });
});

describe('when it goes wrong', () => {
  const planes = programme(24, rate);
  const options: EncodeOptions = { format: 'mp3', segmentSeconds: 8 };

  it('an aborted run rejects, and its threads are free for the next', async () => {
    const aborting = new AbortController();
    const fanOut = createFanOut(2, aborting.signal);
    const input = { sampleRate: rate, channels: 2, layout: 'stereo' };
    const sink = openEncoder(at('aborted.mp3'), input, {
      ...options,
      expectedSeconds: 24,
      threads: { fanOut, signal: aborting.signal },
    });
    sink.write({ planes, frames: planes[0].length });
    const finished = sink.finish();
    aborting.abort(new AbortError('enough'));
    await expect(finished).rejects.toThrow(AbortError);
    sink.close();
    const next = await encode('next', planes, rate, options, threads);
    expect(next.joints.length).toBeGreaterThan(0);
  });

  it("a thread's failure is the encoder's", async () => {
    const failing: FanOut = { ...threads.fanOut, map: () => Promise.reject(new Error('no thread')) };
    await expect(encode('failing', planes, rate, options, { fanOut: failing, signal })).rejects.toThrow('no thread');
  });
});

it("the tag of an MP3 has the file's checksums", async () => {
  const { bytes } = await encode('tag', programme(20, rate), rate, { format: 'mp3', segmentSeconds: 8 }, threads);
  const crc16 = (data: Uint8Array): number => {
    let crc = 0;
    for (const byte of data) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
    }
    return crc;
  };
  const mark = bytes.indexOf('Info');
  const frame = mark - 36;
  const lame = mark + 120;
  expect(bytes.readUInt32BE(lame + 28)).toBe(bytes.length - frame);
  expect(bytes.readUInt16BE(lame + 34)).toBe(crc16(bytes.subarray(frame, lame + 34)));
  const kbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][(bytes[frame + 2] ?? 0) >> 4] ?? 0;
  const size = Math.floor((144_000 * kbps) / rate) + (((bytes[frame + 2] ?? 0) >> 1) & 1);
  expect(bytes.readUInt16BE(lame + 32)).toBe(crc16(bytes.subarray(frame + size)));
});

it('divides codecs with losses', () => {
  const settings = { sampleRate: 48_000, channels: 2, kbps: 128 };
  const isDivided = (encoder: string): boolean =>
    segmentRules({ ...settings, encoder } as Parameters<typeof segmentRules>[0], 600) !== null;
  const all = ['libmp3lame', 'libopus', 'aac', 'libvorbis', 'flac', 'alac'];
  expect(all.filter((encoder) => isDivided(encoder))).toEqual(['libmp3lame', 'libopus', 'aac', 'libvorbis']);
});

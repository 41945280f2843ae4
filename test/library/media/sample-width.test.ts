// Uncompressed samples of fewer bits than their container has room for: what is read is what was computed here.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import { openAudioStream } from '../../../src/library/media/read/decode-stream.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const folder = temporaryFolder('earshot-width-');
const at = (name: string): string => join(folder, name);

const rate = 8000;
const frames = rate / 4;
const channels = 2;
const sampleAt = (frame: number, channel: number): number =>
  0.6 * Math.sin((2 * Math.PI * (channel === 0 ? 440 : 1000) * frame) / rate) + 0.01 * Math.sin(frame * frame);

const chunk = (id: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
};
const guid = (first: number): Buffer =>
  Buffer.from(`${['', '01', '', '03'][first]}00000000001000800000aa00389b71`, 'hex');

interface Kind {
  readonly valid: number;
  readonly width: number;
  /** Default: extensible with the container's width as bits and `valid` as valid bits. */
  readonly tag?: number;
  readonly bits?: number;
  readonly stated?: number;
  readonly bytesPerSecond?: number;
}

function format({ valid, width, tag = 0xfffe, bits = width, stated = valid, bytesPerSecond }: Kind, kind = 1): Buffer {
  const body = Buffer.alloc(tag === 0xfffe ? 24 : 16);
  const align = (channels * width) / 8;
  body.writeUInt16LE(tag, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(rate, 4);
  body.writeUInt32LE(bytesPerSecond ?? rate * align, 8);
  body.writeUInt16LE(align, 12);
  body.writeUInt16LE(bits, 14);
  if (tag !== 0xfffe) return body;
  body.writeUInt16LE(22, 16);
  body.writeUInt16LE(stated, 18);
  body.writeUInt32LE(3, 20);
  return Buffer.concat([body, guid(kind)]);
}

/** Left-justified integers; `write` puts the bytes in order. */
function samples({ valid, width }: Kind, write: (data: Buffer, value: bigint, at: number) => void): Buffer {
  const bytes = width / 8;
  const data = Buffer.alloc(frames * channels * bytes);
  const full = 2 ** (valid - 1) - 1;
  for (let frame = 0; frame < frames; frame += 1)
    for (let channel = 0; channel < channels; channel += 1)
      write(
        data,
        BigInt.asUintN(width, BigInt(Math.round(sampleAt(frame, channel) * full)) << BigInt(width - valid)),
        (frame * channels + channel) * bytes,
      );
  return data;
}
const little = (kind: Kind): Buffer =>
  samples(kind, (data, value, place) => {
    for (let byte = 0; byte < kind.width / 8; byte += 1)
      data[place + byte] = Number((value >> BigInt(8 * byte)) & 0xffn);
  });

const riff = (form: Buffer, data: Buffer, before: Buffer = Buffer.alloc(0)): Buffer =>
  chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), before, chunk('fmt ', form), chunk('data', data)]));

function rf64(form: Buffer, data: Buffer, name: string): Buffer {
  const sizes = Buffer.alloc(28);
  sizes.writeBigUInt64LE(BigInt(data.length), 8);
  const unknown = Buffer.alloc(4, 0xff);
  return Buffer.concat([
    Buffer.from(name),
    unknown,
    Buffer.from('WAVE'),
    chunk('ds64', sizes),
    chunk('fmt ', form),
    Buffer.from('data'),
    unknown,
    data,
  ]);
}

function wave64(form: Buffer, data: Buffer): Buffer {
  const rest = Buffer.from('f3acd3118cd100c04f8edb8a', 'hex');
  const size = (bytes: number): Buffer => {
    const eight = Buffer.alloc(8);
    eight.writeBigUInt64LE(BigInt(bytes));
    return eight;
  };
  const part = (id: string, body: Buffer): Buffer =>
    Buffer.concat([Buffer.from(id), rest, size(24 + body.length), body, Buffer.alloc(-body.length & 7)]);
  const body = Buffer.concat([Buffer.from('wave'), rest, part('fmt ', form), part('data', data)]);
  return Buffer.concat([Buffer.from('726966662e91cf11a5d628db04c10000', 'hex'), size(24 + body.length), body]);
}

function caf(kind: Kind): Buffer {
  const head = Buffer.alloc(68);
  head.write('caff\0\u0001\0\0desc', 'latin1');
  head.writeBigInt64BE(32n, 12);
  head.writeDoubleBE(rate, 20);
  head.write('lpcm', 28);
  head.writeUInt32BE((channels * kind.width) / 8, 36);
  head.writeUInt32BE(1, 40);
  head.writeUInt32BE(channels, 44);
  head.writeUInt32BE(kind.valid, 48);
  head.write('data', 52);
  const data = samples(kind, (into, value, place) => {
    for (let byte = 0; byte < kind.width / 8; byte += 1)
      into[place + byte] = Number((value >> BigInt(kind.width - 8 - 8 * byte)) & 0xffn);
  });
  head.writeBigInt64BE(BigInt(4 + data.length), 56);
  return Buffer.concat([head, data]);
}

/** The greatest difference to what was computed. */
function readWorst(path: string): { frames: number; worst: number; warnings: readonly string[] } {
  const source = openAudio(probe(path));
  let [count, worst] = [0, 0];
  for (let block = source.next(); block; block = source.next()) {
    for (let frame = 0; frame < block.frames; frame += 1)
      for (let channel = 0; channel < channels; channel += 1) {
        const off = Math.abs((block.planes[channel]?.[frame] as number) - sampleAt(count + frame, channel));
        if (!(off <= worst)) worst = off;
      }
    count += block.frames;
  }
  source.close();
  return { frames: count, worst, warnings: source.warnings.map(({ code }) => code) };
}

async function check(name: string, bytes: Buffer, valid: number): Promise<void> {
  const path = at(name);
  writeFileSync(path, bytes);
  const read = readWorst(path);
  expect(read, name).toMatchObject({ frames, warnings: [] });
  expect(read.worst, name).toBeLessThan(1.6 / 2 ** (valid - 1) + 2e-6);
  const { durationSeconds, audio } = await probe(path);
  expect([durationSeconds, audio?.bitsPerSample], name).toEqual([0.25, valid]);
}

const padded = [
  [24, 32],
  [20, 32],
  [16, 32],
  [12, 32],
  [16, 24],
  [20, 24],
  [12, 16],
  [8, 16],
] as const;

describe('samples of fewer bits than their container', () => {
  it.each(padded)('%i bits in %i are read by the width of the container', async (valid, width) => {
    const kind = { valid, width };
    const data = little(kind);
    await check('padded.wav', riff(format(kind), data), valid);
    await check('bits.wav', riff(format({ ...kind, bits: valid }), data), valid);
    await check('plain.wav', riff(format({ ...kind, tag: 1, bits: valid }), data), valid);
    const chunks = Buffer.concat([chunk('bext', Buffer.alloc(602)), chunk('JUNK', Buffer.alloc(300_000))]);
    await check('broadcast.wav', riff(format(kind), data, chunks), valid);
    await check('long.wav', rf64(format(kind), data, 'RF64'), valid);
    await check('long.wav', rf64(format(kind), data, 'BW64'), valid);
    await check('padded.w64', wave64(format(kind), data), valid);
    await check('padded.caf', caf(kind), valid);
  });

  it.each([16, 24, 32])('%i bits whose header states none, more, or another rate', async (width) => {
    const kind = { valid: width, width };
    const data = little(kind);
    await check('none.wav', riff(format({ ...kind, stated: 0 }), data), width);
    await check('more.wav', riff(format({ ...kind, stated: width + 8 }), data), width);
    await check('no-bits.wav', riff(format({ ...kind, tag: 1, bits: 0 }), data), width);
    await check('rate.wav', riff(format({ ...kind, bytesPerSecond: 12_345 }), data), width);
  });

  it('eight bits are unsigned, whatever their valid bits', async () => {
    const data = Buffer.from(
      Array.from({ length: frames * channels }, (_, n) => Math.round(sampleAt(n >> 1, n & 1) * 127) + 128),
    );
    for (const stated of [0, 8]) await check('eight.wav', riff(format({ valid: 8, width: 8, stated }), data), 8);
  });

  it('floats with valid bits are floats; those of Cool Edit are in the scale of integers', async () => {
    const floats = (scale: number): Buffer =>
      Buffer.from(new Float32Array(frames * channels).map((_, n) => scale * sampleAt(n >> 1, n & 1)).buffer);
    await check('float.wav', riff(format({ valid: 24, width: 32 }, 3), floats(1)), 24);
    for (const bits of [16, 24])
      await check('edit.wav', riff(format({ valid: 32, width: 32, tag: 1, bits }), floats(2 ** (bits - 1))), bits);
  });

  it('a stream of padded samples is read as a file is', async () => {
    const kind = { valid: 24, width: 32 };
    async function* pieces(): AsyncGenerator<Buffer> {
      yield riff(format(kind), little(kind));
    }
    const stream = await openAudioStream(pieces(), rate);
    let [count, worst] = [0, 0];
    for (let piece = await stream.next(); piece; piece = await stream.next())
      for (const sample of piece) {
        const mean = (sampleAt(count, 0) + sampleAt(count, 1)) / 2;
        worst = Math.max(worst, Math.abs(sample - mean));
        count += 1;
      }
    stream.close();
    expect(count).toBe(frames);
    expect(worst).toBeLessThan(1e-5);
  });
});

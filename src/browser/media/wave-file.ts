// Writes WAV files byte for byte as FFmpeg's writer does with its flag "bitexact" and `rf64=auto`.
import { closeSync, openSync, writeSync } from 'node:fs';
import { layoutMask } from '../../library/core/channels.ts';
import { waveTags } from '../../library/media/ffmpeg/wave-form.ts';
import type { BitDepth } from '../../library/media/formats.ts';
import type { AudioFormat } from '../../library/pcm/block.ts';
import { infoNames } from './info-names.ts';

type Words = Readonly<Record<string, string>>;

/** What the file holds besides its samples. */
export interface WaveHead {
  /** By FFmpeg's names. */
  readonly tags: Words;
  /** Bytes of a Broadcast Wave extension to leave room for, which is put there later; 0: none. */
  readonly bextBytes: number;
}

const guidTail = [0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
/** Room for the 64-bit sizes of a file beyond 4 GiB. */
const longSizes = 28;
const mostShort = 0xffff_ffff;

/** FFmpeg's for so many channels, where a file names none. */
const usualAbove8: Readonly<Record<number, string>> = { 10: '5.1.4', 12: '7.1.4' };

function chunk(id: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

function formChunk({ sampleRate, channels, layout }: AudioFormat, bits: number, isFloat: boolean): Buffer {
  const isPlain = channels <= 2 && sampleRate <= 48_000 && (isFloat || bits <= 16);
  const isExtensible = !isPlain && !isFloat;
  const tag = isFloat ? waveTags.float : waveTags.pcm;
  const body = Buffer.alloc(isExtensible || (isFloat && !isPlain) ? 40 : isFloat ? 18 : 16);
  const hasGuid = body.length === 40;
  body.writeUInt16LE(hasGuid ? waveTags.extensible : tag, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(sampleRate, 4);
  body.writeUInt32LE((sampleRate * channels * bits) / 8, 8);
  body.writeUInt16LE((channels * bits) / 8, 12);
  body.writeUInt16LE(bits, 14);
  if (hasGuid) {
    body.writeUInt16LE(22, 16);
    body.writeUInt16LE(bits, 18);
    body.writeUInt32LE(
      Number(layoutMask(layout, channels) ?? layoutMask(usualAbove8[channels] ?? '', channels) ?? 0n),
      20,
    );
    body.writeUInt32LE(tag, 24);
    Buffer.from(guidTail).copy(body, 28);
  }
  return chunk('fmt ', body);
}

function infoChunk(tags: Words): Buffer[] {
  const byName = new Map(Object.entries(tags).map(([name, value]) => [name.toUpperCase(), value]));
  const fields = infoNames.flatMap(([id, name]) => {
    const value = byName.get(name.toUpperCase()) ?? byName.get(id);
    // Of two fields with one name, the first is written.
    byName.delete(name.toUpperCase());
    return value === undefined || value === '' ? [] : [chunk(id, Buffer.from(`${value}\0`, 'utf8'))];
  });
  return fields.length === 0 ? [] : [chunk('LIST', Buffer.concat([Buffer.from('INFO', 'latin1'), ...fields]))];
}

/** An open WAV file. */
export class WaveFile {
  private readonly handle: number;
  private readonly frameBytes: number;
  private readonly isFloat: boolean;
  private readonly dataAt: number;
  private readonly longAt: number;
  private readonly factAt: number | null;
  private bytes = 0;
  private isOpen = true;

  /** @throws the system's error where the path cannot be written */
  constructor(path: string, format: AudioFormat, depth: BitDepth, { tags, bextBytes }: WaveHead) {
    this.isFloat = depth === '32f';
    const bits = Number.parseInt(depth, 10);
    this.frameBytes = (format.channels * bits) / 8;
    const form = formChunk(format, bits, this.isFloat);
    const bext = bextBytes === 0 ? [] : [chunk('bext', Buffer.alloc(bextBytes))];
    const before = [Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), ...bext, form];
    const long = chunk('JUNK', Buffer.alloc(longSizes));
    const fact = this.isFloat ? [chunk('fact', Buffer.alloc(4))] : [];
    const head = Buffer.concat([...before, long, ...fact, ...infoChunk(tags), Buffer.from('data\0\0\0\0', 'latin1')]);
    this.longAt = Buffer.concat(before).length;
    this.factAt = this.isFloat ? this.longAt + long.length + 8 : null;
    this.dataAt = head.length;
    this.handle = openSync(path, 'w');
    writeSync(this.handle, head, 0, head.length, 0);
  }

  /** Interleaved samples, little-endian. */
  append(samples: Uint8Array): void {
    writeSync(this.handle, samples, 0, samples.length, this.dataAt + this.bytes);
    this.bytes += samples.length;
  }

  finish(): void {
    const { bytes, dataAt, handle } = this;
    const put = (at: number, body: Buffer): void => void writeSync(handle, body, 0, body.length, at);
    const word = (value: number): Buffer => {
      const body = Buffer.alloc(4);
      body.writeUInt32LE(Math.min(value, mostShort));
      return body;
    };
    if (bytes % 2 === 1) put(dataAt + bytes, Buffer.alloc(1));
    const end = dataAt + bytes + (bytes % 2);
    const frames = bytes / this.frameBytes;
    const isLong = end - 8 > mostShort;
    if (isLong) {
      const sizes = Buffer.alloc(longSizes);
      for (const [index, size] of [end - 8, bytes, frames].entries()) sizes.writeBigUInt64LE(BigInt(size), 8 * index);
      put(0, Buffer.from('RF64', 'latin1'));
      put(this.longAt, chunk('ds64', sizes));
    }
    put(4, word(isLong ? mostShort : end - 8));
    put(dataAt - 4, word(isLong ? mostShort : bytes));
    if (this.factAt !== null) put(this.factAt, word(frames));
    this.close();
  }

  close(): void {
    if (this.isOpen) closeSync(this.handle);
    this.isOpen = false;
  }
}

// Uncompressed samples as the bytes that they are, for copies that only move them.
import { closeSync, openSync, readSync } from 'node:fs';
import { EarshotError } from '../../core/errors/errors.ts';
import type { MediaFacts } from '../facts.ts';
import { type Bytes, readWaveForm, waveTags } from '../ffmpeg/wave-form.ts';

/** The samples of an open WAV, RF64, Wave64 or AIFF file. */
export interface PlainSamples {
  /** FFmpeg's name of their form, such as "pcm_s16le". */
  readonly codec: string;
  /** Length of the sound, all of it there. */
  readonly frames: number;
  readonly frameBytes: number;
  /**
   * @returns the frames' bytes, valid until the next call
   * @throws EarshotError file_invalid where the file has become shorter
   */
  bytes(from: number, frames: number): Buffer;
  /** @returns new planes of full scale 1; silence where there is no frame */
  planes(from: number, frames: number): Float32Array[];
  close(): void;
}

/** Where the samples of a file lie. */
export interface PlainPlace {
  readonly at: number;
  readonly size: number;
  readonly channels: number;
  readonly bits: number;
  /** Bytes of a frame. */
  readonly align: number;
}

/** Integers that decode to floats and back without a change: bits of a sample. */
const integers: Readonly<Record<string, number>> = { pcm_s16le: 16, pcm_s24le: 24, pcm_s16be: 16, pcm_s24be: 24 };
const integer24 = 2 ** 23;

function wavePlace(bytes: Bytes): PlainPlace | null {
  const form = readWaveForm(bytes);
  if (form === null || (form.validBits !== 0 && form.validBits !== form.bits)) return null;
  if (form.tag !== waveTags.pcm && form.tag !== waveTags.float) return null;
  const { dataAt: at, dataBytes: size, blockAlign: align, channels, bits } = form;
  return { at, size, align, channels, bits };
}

/** Chunks before the samples of an AIFF file: a usual one has five. */
const mostChunks = 100;

/** Of AIFF, whose description comes before its samples. AIFF-C states its codec, which FFmpeg knows by then. */
function aiffPlace(bytes: Bytes): PlainPlace | null {
  const head = bytes(0, 12).toString('latin1');
  if (!head.startsWith('FORM') || !/^AIF[FC]$/u.test(head.slice(8))) return null;
  let form: { channels: number; frames: number; bits: number } | null = null;
  for (let [at, count] = [12, 0]; count < mostChunks; count += 1) {
    const chunk = bytes(at, 16);
    if (chunk.length < 16) return null;
    const [id, size] = [chunk.toString('latin1', 0, 4), chunk.readUInt32BE(4)];
    if (id === 'SSND') {
      if (form === null || chunk.readUInt32BE(8) !== 0) return null;
      const align = (form.channels * form.bits) / 8;
      return size - 8 === form.frames * align ? { ...form, at: at + 16, size: size - 8, align } : null;
    }
    if (id === 'COMM') {
      const body = bytes(at + 8, 8);
      if (form !== null || body.length < 8) return null;
      form = { channels: body.readUInt16BE(0), frames: body.readUInt32BE(2), bits: body.readUInt16BE(6) };
    }
    at += 8 + size + (size % 2);
  }
  return null;
}

/** Of WAV, RF64, Wave64 and AIFF: integers and floats; their codec says which. null: they are stored otherwise. */
export const plainPlace = (bytes: Bytes): PlainPlace | null => wavePlace(bytes) ?? aiffPlace(bytes);

function toPlanes(bytes: Buffer, channels: number, codec: string, planes: readonly Float32Array[], from: number): void {
  const isBig = codec.endsWith('be');
  if (integers[codec] === 16) {
    for (let at = 0; at < bytes.length / 2; at += 1) {
      const sample = isBig ? bytes.readInt16BE(2 * at) : bytes.readInt16LE(2 * at);
      (planes[at % channels] as Float32Array)[from + Math.floor(at / channels)] = sample / 32_768;
    }
    return;
  }
  for (let at = 0; at < bytes.length / 3; at += 1) {
    const sample = isBig ? bytes.readIntBE(3 * at, 3) : bytes.readIntLE(3 * at, 3);
    (planes[at % channels] as Float32Array)[from + Math.floor(at / channels)] = sample / integer24;
  }
}

/**
 * Opens a file's samples where they are whole integers of 16 or 24 bits, all there as the header states, and nothing
 * else is heard of the file.
 * @returns null: decode the file, which knows every other form
 */
export function openPlainSamples({ path, sizeBytes, hasVideo, audio, streams }: MediaFacts): PlainSamples | null {
  const bits = integers[audio?.codec ?? ''];
  if (!audio || bits === undefined || hasVideo || streams.filter(({ type }) => type === 'audio').length !== 1)
    return null;
  const handle = openSync(path, 'r');
  let buffer = Buffer.alloc(0);
  const read = (at: number, size: number): Buffer => {
    if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(size);
    return buffer.subarray(0, readSync(handle, buffer, 0, size, at));
  };
  const fresh: Bytes = (at, size) => Buffer.from(read(at, size));
  const place = plainPlace(fresh);
  const { codec, channels } = audio;
  if (
    place?.bits !== bits ||
    place.channels !== channels ||
    place.align !== (channels * bits) / 8 ||
    place.size === 0 ||
    place.size % place.align !== 0 ||
    place.at + place.size > sizeBytes
  ) {
    closeSync(handle);
    return null;
  }
  const { at, align } = place;
  const frames = place.size / align;
  const bytes = (from: number, count: number): Buffer => {
    const found = read(at + from * align, count * align);
    if (found.length === count * align) return found;
    throw new EarshotError('file_invalid', 'The file became shorter while it was read');
  };
  return {
    codec,
    frames,
    frameBytes: align,
    bytes,
    planes(from, count) {
      const planes = Array.from({ length: channels }, () => new Float32Array(count));
      const [first, last] = [Math.max(0, from), Math.min(frames, from + count)];
      if (last > first) toPlanes(bytes(first, last - first), channels, codec, planes, first - from);
      return planes;
    },
    close: () => closeSync(handle),
  };
}

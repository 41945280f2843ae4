// How a WAV file stores its samples, by its own header: RIFF, RF64, BW64 and Sony's Wave64.
import { closeSync, openSync, readSync } from 'node:fs';

/** Tags of the `fmt ` chunk, and the first word of the GUID behind the extensible one. */
export const waveTags = { pcm: 1, float: 3, extensible: 0xfffe } as const;

export interface WaveForm {
  /** Of the sound; the extensible tag's GUID is looked up. */
  readonly tag: number;
  readonly isExtensible: boolean;
  readonly channels: number;
  readonly sampleRate: number;
  readonly bytesPerSecond: number;
  /** Bytes of a frame, all channels. */
  readonly blockAlign: number;
  /** As stated: writers mean the container's width or the bits in use. */
  readonly bits: number;
  /** Bits in use, of the extensible tag; 0 where it does not say. */
  readonly validBits: number;
  /** Start and length of the samples, bytes. A length of 0 or nearly 4 GB means that the writer did not know it. */
  readonly dataAt: number;
  readonly dataBytes: number;
}

/** A file has about ten chunks; a hostile one has millions. */
const mostChunks = 1000;
/** Streaming writers leave 0 or the largest number where they could not seek back. */
export const isStatedSize = (bytes: number): boolean =>
  bytes > 0 && !(bytes >= 0xffff_f000 && bytes <= 0xffff_ffff) && bytes < 2 ** 52;

/** Bytes of a file: from its head, or read from it where they are further behind. Fewer at the end. */
export type Bytes = (at: number, size: number) => Buffer;

/** A part of the file; of Wave64, names are those of its GUID. */
export interface Chunk {
  readonly id: string;
  readonly bodyAt: number;
  readonly bodyBytes: number;
  readonly nextAt: number;
}

function riffChunk(bytes: Bytes, at: number): Chunk | null {
  const head = bytes(at, 8);
  if (head.length < 8) return null;
  const size = head.readUInt32LE(4);
  return { id: head.toString('latin1', 0, 4), bodyAt: at + 8, bodyBytes: size, nextAt: at + 8 + size + (size % 2) };
}

/** GUIDs of Wave64 begin with the RIFF name in lower case; sizes have eight bytes and count the header. */
function wave64Chunk(bytes: Bytes, at: number): Chunk | null {
  const head = bytes(at, 24);
  if (head.length < 24) return null;
  const size = Number(head.readBigUInt64LE(16));
  const nextAt = at + Math.max(24, Math.ceil(size / 8) * 8);
  return { id: head.toString('latin1', 0, 4), bodyAt: at + 24, bodyBytes: Math.max(0, size - 24), nextAt };
}

function formatChunk(body: Buffer): Omit<WaveForm, 'dataAt' | 'dataBytes'> | null {
  if (body.length < 16) return null;
  const tag = body.readUInt16LE(0);
  const isExtensible = tag === waveTags.extensible && body.length >= 28;
  return {
    tag: isExtensible ? body.readUInt32LE(24) : tag,
    isExtensible,
    channels: body.readUInt16LE(2),
    sampleRate: body.readUInt32LE(4),
    bytesPerSecond: body.readUInt32LE(8),
    blockAlign: body.readUInt16LE(12),
    bits: body.readUInt16LE(14),
    validBits: isExtensible ? body.readUInt16LE(18) : 0,
  };
}

/** The chunks of a WAV file in their order; none of other files. */
export function* waveChunks(bytes: Bytes): Generator<Chunk> {
  const head = bytes(0, 40);
  const outer = head.toString('latin1', 0, 4);
  const isRiff = ['RIFF', 'RF64', 'BW64'].includes(outer) && head.toString('latin1', 8, 12) === 'WAVE';
  if (!isRiff && !(outer === 'riff' && head.toString('latin1', 24, 28) === 'wave')) return;
  let longBytes: number | null = null;
  let at = isRiff ? 12 : 40;
  for (let count = 0; count < mostChunks; count += 1) {
    const chunk = isRiff ? riffChunk(bytes, at) : wave64Chunk(bytes, at);
    if (chunk === null) return;
    if (chunk.id === 'ds64') {
      const sizes = bytes(chunk.bodyAt, 16);
      if (sizes.length === 16) longBytes = Number(sizes.readBigUInt64LE(8));
    }
    const isLong = isRiff && chunk.id === 'data' && chunk.bodyBytes === 0xffff_ffff && longBytes !== null;
    const bodyBytes = isLong ? (longBytes ?? 0) : chunk.bodyBytes;
    yield { ...chunk, bodyBytes };
    // What is behind sound of unknown length cannot be found.
    if (chunk.id === 'data' && !isStatedSize(bodyBytes)) return;
    at = isLong ? chunk.bodyAt + bodyBytes + (bodyBytes % 2) : chunk.nextAt;
  }
}

/**
 * The form of a WAV file; null where it is none, or the bytes end before its samples begin. Chunks of any size may come
 * before them.
 */
export function readWaveForm(bytes: Bytes): WaveForm | null {
  let form: ReturnType<typeof formatChunk> = null;
  for (const { id, bodyAt, bodyBytes } of waveChunks(bytes)) {
    if (id === 'fmt ') form = formatChunk(bytes(bodyAt, Math.min(40, bodyBytes)));
    if (id === 'data') return form && { ...form, dataAt: bodyAt, dataBytes: bodyBytes };
  }
  return null;
}

/** Bytes of what is in memory. */
export const bytesOf =
  (head: Buffer): Bytes =>
  (at, size) =>
    head.subarray(Math.min(at, head.length), at + size);

/** A file, or what begins at a byte of it, and its first bytes. */
interface Begun {
  readonly path: string;
  readonly head: Buffer;
  readonly fromByte: number;
}

/** Runs with bytes of a file, of which the first ones are there already. */
export function withBytes<T>({ path, head, fromByte }: Begun, use: (bytes: Bytes) => T): T {
  let handle: number | null = null;
  try {
    return use((at, size) => {
      if (at + size <= head.length) return head.subarray(at, at + size);
      handle ??= openSync(path, 'r');
      const read = Buffer.alloc(size);
      return read.subarray(0, readSync(handle, read, 0, size, fromByte + at));
    });
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

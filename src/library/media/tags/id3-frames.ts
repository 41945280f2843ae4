// ID3v2 tags and their frames (id3.org: ID3v2.2, 2.3, 2.4). Tags of uploads are read with a limit on every length.
import { closeSync, openSync, readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { frameOfTwo } from './id3-two.ts';

export interface Id3Frame {
  readonly id: string;
  /** Payload, with unsynchronisation and compression removed. */
  readonly data: Buffer;
}

/** The position of a tag in a file. */
export interface TagPlace {
  readonly start: number;
  /** Including its header of ten bytes. */
  readonly length: number;
}

export interface Id3Tag {
  readonly version: number;
  readonly frames: readonly Id3Frame[];
}

/** A larger tag is not loaded into memory. */
const largestTag = 64 * 1024 * 1024;
/** A tag has room for six million empty frames of ten bytes, which would fill the memory. */
const mostFrames = 200_000;
const largestInflated = 16 * 1024 * 1024;
export const headerLength = 10;
const unsynchronised = 0x80;
const extended = 0x40;

/** Seven bits per byte. */
export const synchsafe = (data: Buffer, at: number): number =>
  (((data[at] ?? 0) & 0x7f) << 21) |
  (((data[at + 1] ?? 0) & 0x7f) << 14) |
  (((data[at + 2] ?? 0) & 0x7f) << 7) |
  ((data[at + 3] ?? 0) & 0x7f);

/** Length of the ID3v2 tag that a file begins with; 0: there is none. */
export const tagBytes = (head: Buffer): number =>
  head.length >= headerLength && head.toString('latin1', 0, 3) === 'ID3' ? headerLength + synchsafe(head, 6) : 0;

function writeSynchsafe(data: Buffer, size: number, at: number): void {
  for (let byte = 0; byte < 4; byte += 1) data[at + byte] = (size >> (21 - 7 * byte)) & 0x7f;
}

/** Removes the zero that follows every 0xFF. */
export function synchronised(data: Buffer): Buffer {
  const out = Buffer.alloc(data.length);
  let length = 0;
  for (let at = 0; at < data.length; at += 1) {
    out[length++] = data[at] as number;
    if (data[at] === 0xff && data[at + 1] === 0) at += 1;
  }
  return out.subarray(0, length);
}

function inflated(data: Buffer): Buffer | null {
  try {
    return inflateSync(data, { maxOutputLength: largestInflated });
  } catch {
    return null;
  }
}

/** A frame's payload as it was before its flags; null for encrypted and damaged ones. */
function payloadOf(body: Buffer, flags: number, version: number, allUnsynchronised: boolean): Buffer | null {
  const isNew = version === 4;
  if ((flags & (isNew ? 0x04 : 0x40)) !== 0) return null;
  const packed = (flags & (isNew ? 0x08 : 0x80)) !== 0;
  const grouped = (flags & (isNew ? 0x40 : 0x20)) !== 0;
  const lengthBytes = isNew ? (flags & 0x01) !== 0 : packed;
  const skipped = (grouped ? 1 : 0) + (lengthBytes ? 4 : 0);
  if (body.length < skipped) return null;
  const stuffed = isNew && ((flags & 0x02) !== 0 || allUnsynchronised);
  const payload = stuffed ? synchronised(body.subarray(skipped)) : body.subarray(skipped);
  return packed ? inflated(payload) : payload;
}

/** Frames of a tag's or a chapter's body. */
export function framesIn(body: Buffer, version: number, allUnsynchronised: boolean, most = mostFrames): Id3Frame[] {
  const frames: Id3Frame[] = [];
  const [idLength, header] = version === 2 ? [3, 6] : [4, headerLength];
  for (let at = 0, count = 0; at + header <= body.length && count < most; count += 1) {
    const id = body.toString('latin1', at, at + idLength);
    if (!/^[A-Z0-9]+$/.test(id)) break;
    const stated = version === 2 ? body.readUIntBE(at + 3, 3) : frameSize(body, at + 4, version);
    const plain = version === 4 ? body.readUInt32BE(at + 4) : stated;
    const begin = at + header;
    const end = begin + (isFrameEnd(body, begin + stated) || !isFrameEnd(body, begin + plain) ? stated : plain);
    if (end > body.length) break;
    const data = body.subarray(at + header, end);
    if (version === 2) {
      const frame = frameOfTwo(id, data);
      if (frame) frames.push(frame);
    } else {
      const payload = payloadOf(data, body[at + 9] as number, version, allUnsynchronised);
      if (payload) frames.push({ id, data: payload });
    }
    at = end;
  }
  return frames;
}

/** Is there another frame, or padding, or nothing? */
const isFrameEnd = (body: Buffer, at: number): boolean =>
  at === body.length || body[at] === 0 || /^[A-Z][A-Z0-9]{3}$/.test(body.toString('latin1', at, at + 4));

/** Some programs wrote sizes of 2.4 as in 2.3: a high bit reveals those, or that no other frame is where one ends. */
export function frameSize(data: Buffer, at: number, version: number): number {
  const plain = data.readUInt32BE(at);
  return version === 4 && (plain & 0x8080_8080) === 0 ? synchsafe(data, at) : plain;
}

function parseTag(tag: Buffer): Id3Tag | null {
  const version = tag[3] ?? 0;
  if (version < 2 || version > 4) return null;
  const flags = tag[5] ?? 0;
  const stuffed = (flags & unsynchronised) !== 0;
  const rest = tag.subarray(headerLength);
  let body = stuffed && version < 4 ? synchronised(rest) : rest;
  if (version > 2 && (flags & extended) !== 0 && body.length >= 4)
    body = body.subarray(version === 3 ? 4 + body.readUInt32BE(0) : synchsafe(body, 0));
  return { version, frames: framesIn(body, version, stuffed) };
}

/** Size of the tag with this header of ten bytes; null when it is not one. */
function tagLength(header: Buffer): number | null {
  if (header.length < headerLength || header.toString('latin1', 0, 3) !== 'ID3') return null;
  return headerLength + synchsafe(header, 6);
}

export function bytesAt(handle: number, start: number, length: number): Buffer {
  const data = Buffer.alloc(length);
  return data.subarray(0, readSync(handle, data, 0, length, start));
}

const tagAt = (handle: number, start: number): TagPlace | null => {
  const length = tagLength(bytesAt(handle, start, headerLength));
  return length === null ? null : { start, length };
};

/** The tag in a chunk of a RIFF, RF64 or IFF file. */
function tagInChunks(handle: number, outer: string): TagPlace | null {
  const big = outer === 'FORM';
  let dataBytes: number | null = null;
  let at = 12;
  for (let count = 0; count < 10_000; count += 1) {
    const header = bytesAt(handle, at, 8);
    if (header.length < 8) return null;
    const id = header.toString('latin1', 0, 4);
    let size = big ? header.readUInt32BE(4) : header.readUInt32LE(4);
    // Beyond 4 GiB the true size is in the first chunk.
    if (id === 'ds64') {
      const sizes = bytesAt(handle, at + 8, 16);
      if (sizes.length === 16) dataBytes = Number(sizes.readBigUInt64LE(8));
    } else if (id === 'data' && size === 0xffff_ffff && dataBytes !== null) size = dataBytes;
    if (id.toLowerCase() === 'id3 ') return tagAt(handle, at + 8);
    at += 8 + size + (size % 2);
  }
  return null;
}

/** The position of a file's ID3v2 tag: at its start, or in a chunk; null without one. */
export function findTag(handle: number): TagPlace | null {
  const outer = bytesAt(handle, 0, 4).toString('latin1');
  return ['RIFF', 'RF64', 'BW64', 'FORM'].includes(outer) ? tagInChunks(handle, outer) : tagAt(handle, 0);
}

/** The ID3v2 tag of an MP3, WAV or AIFF file; null without one that can be read. */
export function readId3Tag(path: string): Id3Tag | null {
  const handle = openSync(path, 'r');
  try {
    const place = findTag(handle);
    return place === null || place.length > largestTag ? null : parseTag(bytesAt(handle, place.start, place.length));
  } finally {
    closeSync(handle);
  }
}

/** Text that says Latin-1 but is UTF-8, as many programs wrote it, is read as UTF-8. */
function latin1(data: Buffer): string {
  if (data.every((byte) => byte < 0x80)) return data.toString('latin1');
  const text = data.toString('utf8');
  return text.includes('\uFFFD') ? data.toString('latin1') : text;
}

function utf16(data: Buffer, isBig: boolean): string {
  const even = Buffer.from(data.subarray(0, data.length - (data.length % 2)));
  const mark = even.length >= 2 ? even.readUInt16BE(0) : 0;
  const isMarked = mark === 0xfffe || mark === 0xfeff;
  const swapped = isMarked ? mark === 0xfeff : isBig;
  return (swapped ? even.swap16() : even).toString('utf16le', isMarked ? 2 : 0);
}

/** A text of a frame, in one of ID3's encodings. */
export function decoded(data: Buffer, encoding: number): string {
  if (encoding === 3) return data.toString('utf8');
  return encoding === 1 || encoding === 2 ? utf16(data, encoding === 2) : latin1(data);
}

/** Where a text ends that zeros end, and where the next one begins. */
export function endOfText(
  data: Buffer,
  from: number,
  encoding: number,
): { readonly end: number; readonly next: number } {
  if (encoding !== 1 && encoding !== 2) {
    const end = data.indexOf(0, from);
    return end < 0 ? { end: data.length, next: data.length } : { end, next: end + 1 };
  }
  for (let at = from; at + 1 < data.length; at += 2)
    if (data[at] === 0 && data[at + 1] === 0) return { end: at, next: at + 2 };
  return { end: data.length, next: data.length };
}

/** All texts of a frame's body, from one place on. */
export function textsIn(data: Buffer, from: number, encoding: number): string[] {
  const texts: string[] = [];
  for (let at = from; at < data.length;) {
    const { end, next } = endOfText(data, at, encoding);
    texts.push(decoded(data.subarray(at, end), encoding));
    at = next;
  }
  // Many programs end a text with a zero, too.
  while (texts.length > 1 && texts.at(-1) === '') texts.pop();
  return texts;
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Texts behind the byte of their encoding, with zeros between them. */
export function encodedTexts(texts: readonly string[], before = Buffer.alloc(0)): Buffer {
  const encoding = texts.every(isAscii) ? 0 : 3;
  return Buffer.concat([Buffer.from([encoding]), before, Buffer.from(texts.join('\0'), 'utf8')]);
}

/** A tag's size has 28 bits. */
export const largestId3Tag = 2 ** 28;

/** A frame of ID3v2.4. */
export function id3Frame(id: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(headerLength);
  header.write(id, 0, 'latin1');
  writeSynchsafe(header, body.length, 4);
  return Buffer.concat([header, body]);
}

export const totalLength = (frames: readonly Buffer[]): number => frames.reduce((sum, frame) => sum + frame.length, 0);

/** A whole tag of ID3v2.4, `length` bytes long with its header. */
export function id3Tag(frames: readonly Buffer[], length = headerLength + totalLength(frames)): Buffer {
  const tag = Buffer.alloc(length);
  tag.write('ID3', 0, 'latin1');
  tag[3] = 4;
  writeSynchsafe(tag, length - headerLength, 6);
  let at = headerLength;
  for (const frame of frames) at += frame.copy(tag, at);
  return tag;
}

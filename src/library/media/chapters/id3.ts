// Chapters in ID3v2 tags ("ID3v2 Chapter Frame Addendum": CHAP and CTOC), and the frames of a WAV's own tag. node-av
// gives no access to FFmpeg's chapters, and tags of uploads must be read with a limit on every length.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { Chapter } from '../facts.ts';
import { roomTag } from '../tags.ts';

export interface Id3Frame {
  readonly id: string;
  /** Payload, with unsynchronisation removed. */
  readonly data: Buffer;
  /** Header and payload as in the tag. */
  readonly raw: Buffer;
}

/** The position of a tag in a file. */
export interface TagPlace {
  readonly start: number;
  /** Including its header of ten bytes. */
  readonly length: number;
}

/** A larger tag is not loaded into memory for its chapters. */
const largestTag = 64 * 1024 * 1024;
const mostChapters = 10_000;
/** A tag has room for six million empty frames of ten bytes, which would fill the memory. */
const mostFrames = 200_000;
/** Per chapter: title, description, link, picture. */
const mostChapterFrames = 100;
const headerLength = 10;
const unsynchronised = 0x80;
const extended = 0x40;

/** Seven bits per byte. */
export const synchsafe = (data: Buffer, at: number): number =>
  (((data[at] ?? 0) & 0x7f) << 21) |
  (((data[at + 1] ?? 0) & 0x7f) << 14) |
  (((data[at + 2] ?? 0) & 0x7f) << 7) |
  ((data[at + 3] ?? 0) & 0x7f);

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

/** Frames of a tag's or a chapter's body, in ID3v2.3 or 2.4; unreadable (compressed, encrypted) ones are left out. */
function framesIn(body: Buffer, version: number, allUnsynchronised: boolean, most: number): Id3Frame[] {
  const frames: Id3Frame[] = [];
  for (let at = 0; at + headerLength <= body.length && frames.length < most;) {
    const id = body.toString('latin1', at, at + 4);
    if (!/^[A-Z0-9]{4}$/.test(id)) break;
    // Some programs wrote sizes of 2.4 as in 2.3: a high bit reveals those.
    const plain = body.readUInt32BE(at + 4);
    const size = version === 4 && (plain & 0x8080_8080) === 0 ? synchsafe(body, at + 4) : plain;
    const end = at + headerLength + size;
    if (end > body.length) break;
    const flags = body[at + 9] as number;
    const packed = version === 4 ? (flags & 0x0c) !== 0 : (flags & 0xc0) !== 0;
    const grouped = version === 4 ? (flags & 0x40) !== 0 : (flags & 0x20) !== 0;
    const skipped = (grouped ? 1 : 0) + (version === 4 && (flags & 0x01) !== 0 ? 4 : 0);
    if (!packed && size >= skipped) {
      const payload = body.subarray(at + headerLength + skipped, end);
      const stuffed = version === 4 && ((flags & 0x02) !== 0 || allUnsynchronised);
      frames.push({ id, data: stuffed ? synchronised(payload) : payload, raw: body.subarray(at, end) });
    }
    at = end;
  }
  return frames;
}

interface Id3Tag {
  readonly version: number;
  readonly frames: readonly Id3Frame[];
}

function parseTag(tag: Buffer): Id3Tag | null {
  const version = tag[3] ?? 0;
  if (version !== 3 && version !== 4) return null;
  const flags = tag[5] ?? 0;
  const stuffed = (flags & unsynchronised) !== 0;
  const rest = tag.subarray(headerLength);
  let body = stuffed && version === 3 ? synchronised(rest) : rest;
  if ((flags & extended) !== 0 && body.length >= 4)
    body = body.subarray(version === 3 ? 4 + body.readUInt32BE(0) : synchsafe(body, 0));
  return { version, frames: framesIn(body, version, stuffed, mostFrames) };
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

function loadTag(handle: number): { place: TagPlace; tag: Id3Tag } | null {
  const place = findTag(handle);
  if (place === null || place.length > largestTag) return null;
  const tag = parseTag(bytesAt(handle, place.start, place.length));
  return tag && { place, tag };
}

/** Text of a frame that begins with its encoding byte. */
function textOf(data: Buffer): string {
  const encoding = data[0] ?? 0;
  const body = data.subarray(1);
  let text: string;
  if (encoding === 3) text = body.toString('utf8');
  else if (encoding === 0) text = body.toString('latin1');
  else {
    const even = Buffer.from(body.subarray(0, body.length - (body.length % 2)));
    const marked = even.length >= 2 && [0xfffe, 0xfeff].includes(even.readUInt16BE(0));
    const big = encoding === 2 || (marked && even.readUInt16BE(0) === 0xfeff);
    text = (big ? even.swap16() : even).toString('utf16le', marked ? 2 : 0);
  }
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

function chapterOf(frame: Id3Frame, version: number): Chapter | null {
  const nameEnd = frame.data.indexOf(0);
  if (nameEnd < 0 || frame.data.length < nameEnd + 17) return null;
  const inner = framesIn(frame.data.subarray(nameEnd + 17), version, false, mostChapterFrames);
  const title = inner.find(({ id }) => id === 'TIT2');
  return {
    startSeconds: frame.data.readUInt32BE(nameEnd + 1) / 1000,
    endSeconds: frame.data.readUInt32BE(nameEnd + 5) / 1000,
    title: title ? textOf(title.data) : '',
  };
}

/** Chapters of an MP3, WAV or AIFF file; empty without chapters or when the tag is damaged. */
export function readId3Chapters(path: string): Chapter[] {
  const handle = openSync(path, 'r');
  try {
    const loaded = loadTag(handle);
    if (!loaded) return [];
    return loaded.tag.frames
      .filter(({ id }) => id === 'CHAP')
      .slice(0, mostChapters)
      .flatMap((frame) => chapterOf(frame, loaded.tag.version) ?? [])
      .toSorted((a, b) => a.startSeconds - b.startSeconds);
  } finally {
    closeSync(handle);
  }
}

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Text after its encoding byte: Latin-1 where possible, else UTF-16 with byte order mark. */
export const encodedText = (text: string): Buffer =>
  isPlain(text)
    ? Buffer.concat([Buffer.from([0]), Buffer.from(text, 'latin1')])
    : Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

/** A frame of ID3v2.3. */
export function id3Frame(id: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(headerLength);
  header.write(id, 0, 'latin1');
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

/** A whole tag of ID3v2.3, `length` bytes long with its header. */
export function id3Tag(frames: readonly Buffer[], length = headerLength + totalLength(frames)): Buffer {
  const tag = Buffer.alloc(length);
  tag.write('ID3', 0, 'latin1');
  tag[3] = 3;
  const size = length - headerLength;
  for (let at = 0; at < 4; at += 1) tag[6 + at] = (size >> (21 - 7 * at)) & 0x7f;
  Buffer.concat(frames).copy(tag, headerLength);
  return tag;
}

const totalLength = (frames: readonly Buffer[]): number => frames.reduce((sum, frame) => sum + frame.length, 0);
const milliseconds = (seconds: number): number => Math.min(0xffff_fffe, Math.max(0, Math.round(seconds * 1000)));
const name = (text: string): Buffer => Buffer.from(`${text}\0`, 'latin1');

/** A list counts its entries in one byte, so a longer list is a list of lists. */
const mostEntries = 255;

function contents(id: string, isTop: boolean, entries: readonly string[]): Buffer {
  const flags = (isTop ? 2 : 0) | 1; // ordered
  return id3Frame('CTOC', name(id), Buffer.from([flags, entries.length]), ...entries.map(name));
}

/** CTOC and CHAP frames, times in whole milliseconds. Up to 65,025 chapters. */
export function chapterFrames(chapters: readonly Chapter[]): Buffer[] {
  const ids = chapters.map((_, at) => `chp${at}`);
  const lists: Buffer[] = [];
  if (ids.length <= mostEntries) lists.push(contents('toc', true, ids));
  else {
    const parts = Array.from({ length: Math.ceil(ids.length / mostEntries) }, (_, part) => part);
    lists.push(
      contents(
        'toc',
        true,
        parts.map((part) => `toc${part}`),
      ),
    );
    for (const part of parts)
      lists.push(contents(`toc${part}`, false, ids.slice(part * mostEntries, (part + 1) * mostEntries)));
  }
  return [
    ...lists,
    ...chapters.map(({ startSeconds, endSeconds, title }, at) => {
      const times = Buffer.alloc(16, 0xff); // no places in bytes
      times.writeUInt32BE(milliseconds(startSeconds), 0);
      times.writeUInt32BE(milliseconds(endSeconds), 4);
      return id3Frame('CHAP', name(ids[at] as string), times, id3Frame('TIT2', encodedText(title)));
    }),
  ];
}

/** A tag value as long as the chapters will be, which reserves their space in the finished tag. */
export const id3Room = (chapters: readonly Chapter[]): string => '.'.repeat(totalLength(chapterFrames(chapters)));

/** Replaces the placeholder tag with the chapters; the tag's length and all positions after it stay the same. */
export function writeId3Chapters(path: string, chapters: readonly Chapter[]): void {
  const handle = openSync(path, 'r+');
  try {
    const loaded = loadTag(handle);
    if (!loaded) return;
    const { place, tag } = loaded;
    const kept = tag.frames.filter(({ id, data }) => !(id === 'TXXX' && data.includes(roomTag)));
    const frames = [...kept.map(({ raw }) => raw), ...chapterFrames(chapters)];
    if (headerLength + totalLength(frames) > place.length) return;
    writeSync(handle, id3Tag(frames, place.length), 0, place.length, place.start);
  } finally {
    closeSync(handle);
  }
}

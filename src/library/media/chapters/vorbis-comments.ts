// Chapters in Vorbis comments of Ogg Vorbis, Opus, Speex and FLAC: CHAPTER001=00:00:00.000 and CHAPTER001NAME=Title
// (wiki.xiph.org, "Chapter Extension"). FFmpeg removes them from the tags that it shows, so the comments are read here;
// they are written as tags.
import { closeSync, openSync } from 'node:fs';
import type { Chapter } from '../facts.ts';
import type { ChapterStart } from './times.ts';
import { bytesAt } from './id3.ts';

/** Numbers have three digits. */
export const mostVorbisChapters = 999;
/** Comments also carry cover art, in Base64. */
const largestComments = 64 * 1024 * 1024;
const mostPages = 65_536;

const clock = (seconds: number): string => {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const pad = (value: number, digits: number): string => String(Math.floor(value)).padStart(digits, '0');
  const hours = pad(milliseconds / 3_600_000, 2);
  return `${hours}:${pad((milliseconds / 60_000) % 60, 2)}:${pad((milliseconds / 1000) % 60, 2)}.${pad(milliseconds % 1000, 3)}`;
};

/** Chapters as tags; ends cannot be stored. */
export function vorbisChapterTags(chapters: readonly Chapter[]): Record<string, string> {
  return Object.fromEntries(
    chapters.slice(0, mostVorbisChapters).flatMap(({ startSeconds, title }, at) => {
      const key = `CHAPTER${String(at + 1).padStart(3, '0')}`;
      return [
        [key, clock(startSeconds)],
        [`${key}NAME`, title],
      ];
    }),
  );
}

/** The comments of a block, from the length of its vendor's name on. */
function* commentsIn(block: Buffer): Generator<string> {
  if (block.length < 8) return;
  let at = 4 + block.readUInt32LE(0);
  if (at + 4 > block.length) return;
  const count = block.readUInt32LE(at);
  at += 4;
  for (let n = 0; n < count && at + 4 <= block.length; n += 1) {
    const length = block.readUInt32LE(at);
    at += 4;
    if (at + length > block.length) return;
    // Chapters are shorter; covers are longer.
    if (length < 65_536) yield block.toString('utf8', at, at + length);
    at += length;
  }
}

const timePattern = /^(\d{1,4}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)$/;

function startsIn(block: Buffer): ChapterStart[] {
  const times = new Map<number, number>();
  const titles = new Map<number, string>();
  for (const comment of commentsIn(block)) {
    const parts = /^CHAPTER(\d{1,3})(NAME)?=(.*)$/is.exec(comment);
    if (!parts) continue;
    const number = Number(parts[1]);
    const value = parts[3] ?? '';
    const time = timePattern.exec(value.trim());
    if (parts[2] !== undefined) titles.set(number, value);
    else if (time) times.set(number, Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3]));
  }
  return [...times]
    .map(([number, startSeconds]) => ({ startSeconds, title: titles.get(number) ?? '' }))
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
}

/** The comment block of a native FLAC file (RFC 9639, section 8); null without one. */
function flacBlock(handle: number): Buffer | null {
  let at = 0;
  const head = bytesAt(handle, 0, 10);
  // Some programs put an ID3 tag before it.
  if (head.toString('latin1', 0, 3) === 'ID3' && head.length === 10)
    at = 10 + [6, 7, 8, 9].reduce((size, byte) => size * 128 + ((head[byte] as number) & 0x7f), 0);
  if (bytesAt(handle, at, 4).toString('latin1') !== 'fLaC') return null;
  at += 4;
  for (let count = 0; count < 128; count += 1) {
    const header = bytesAt(handle, at, 4);
    if (header.length < 4) return null;
    const kind = (header[0] as number) & 0x7f;
    const length = header.readUIntBE(1, 3);
    if (kind === 4) return bytesAt(handle, at + 4, Math.min(length, largestComments));
    if (((header[0] as number) & 0x80) !== 0) return null;
    at += 4 + length;
  }
  return null;
}

/** Codecs by the first bytes of their first packet, and the number of bytes before the comments in the second. */
const oggCodecs: readonly (readonly [magic: string, skip: number])[] = [
  ['\x01vorbis', 7],
  ['OpusHead', 8],
  ['Speex   ', 0],
  ['\x7fFLAC', 4],
];

/** The second packet of the first sound stream of an Ogg file (RFC 3533); null without one. */
function oggBlock(handle: number): Buffer | null {
  let chosen: { serial: number; skip: number } | null = null;
  const parts: Buffer[] = [];
  let length = 0;
  let at = 0;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const header = bytesAt(handle, at, 27);
    if (header.length < 27 || header.toString('latin1', 0, 4) !== 'OggS') return null;
    const lacing = bytesAt(handle, at + 27, header[26] as number);
    const body = at + 27 + lacing.length;
    const bytes = lacing.reduce((sum, part) => sum + part, 0);
    const serial = header.readUInt32LE(14);
    at = body + bytes;
    if (((header[5] as number) & 2) !== 0) {
      const magic = bytesAt(handle, body, 8).toString('latin1');
      const codec = oggCodecs.find(([start]) => magic.startsWith(start));
      if (codec && !chosen) chosen = { serial, skip: codec[1] };
      continue;
    }
    if (serial !== chosen?.serial) continue;
    const last = lacing.findIndex((part) => part < 255);
    const wanted = last < 0 ? bytes : lacing.subarray(0, last + 1).reduce((sum, part) => sum + part, 0);
    length += wanted;
    if (length > largestComments) return null;
    parts.push(bytesAt(handle, body, wanted));
    if (last >= 0) return Buffer.concat(parts).subarray(chosen.skip);
  }
  return null;
}

/** The number of comments that a FLAC or Ogg file declares; 0 without any. */
export function vorbisCommentCount(handle: number): number {
  const block = flacBlock(handle) ?? oggBlock(handle);
  if (block === null || block.length < 8) return 0;
  const at = 4 + block.readUInt32LE(0);
  // At most as many as fit.
  return at + 4 > block.length ? 0 : Math.min(block.readUInt32LE(at), Math.floor((block.length - at) / 4));
}

/** Starts of the chapters of a FLAC or Ogg file; empty without chapters or when the file is damaged. */
export function readVorbisChapters(path: string): ChapterStart[] {
  const handle = openSync(path, 'r');
  try {
    const block = flacBlock(handle) ?? oggBlock(handle);
    return block ? startsIn(block) : [];
  } finally {
    closeSync(handle);
  }
}

/**
 * Comment and description of a FLAC or Ogg file that has both; empty for others. FFmpeg reads both as a comment and
 * joins them.
 */
export function readDescribed(path: string): { comment?: string; description?: string } {
  const handle = openSync(path, 'r');
  try {
    const block = flacBlock(handle) ?? oggBlock(handle);
    const found: { comment?: string; description?: string } = {};
    for (const entry of block ? commentsIn(block) : []) {
      const parts = /^(COMMENT|DESCRIPTION)=(.*)$/isu.exec(entry);
      if (parts) found[parts[1]?.toLowerCase() as keyof typeof found] ??= parts[2] ?? '';
    }
    return found.comment !== undefined && found.description !== undefined ? found : {};
  } finally {
    closeSync(handle);
  }
}

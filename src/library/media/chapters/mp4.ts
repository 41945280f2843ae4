// Chapters of MP4, M4A and MOV. node-av (6.1.1) gives no access to FFmpeg's chapters, so the boxes are read and written
// here (ISO/IEC 14496-12; Nero's "chpl"; QuickTime File Format, "chapter lists").
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { renameFileSync } from '../../core/files/rename-file.ts';
import { type ChapterExtras, withExtras } from '../chapter-extras.ts';
import type { Chapter } from '../facts.ts';
import { type Box, boxesIn, child, outerBoxes, readMoov } from '../mp4/boxes.ts';
import { framesIn, type Id3Frame } from '../tags/id3-frames.ts';
import { linkFrameOf, pictureFrame } from '../tags/id3.ts';
import { box, metaBox } from '../tags/mp4.ts';
import type { ChapterStart } from './times.ts';

const mostChapters = 10_000;
/** The count of Nero's list is one byte. */
export const mostMp4Chapters = 255;

/** Nero's list: 100 ns ticks and titles, without ends. */
function readChpl(data: Buffer, moov: Box): ChapterStart[] {
  const chpl = child(data, moov, 'udta', 'chpl');
  if (!chpl || chpl.end - chpl.body < 9) return [];
  const version = data[chpl.body];
  let at = chpl.body + (version === 0 ? 5 : 9);
  const count = data[at - 1] ?? 0;
  const starts: ChapterStart[] = [];
  for (let index = 0; index < count && at + 9 <= chpl.end; index += 1) {
    const length = data[at + 8] ?? 0;
    starts.push({
      startSeconds: Number(data.readBigUInt64BE(at)) / 1e7,
      title: data.toString('utf8', at + 9, Math.min(chpl.end, at + 9 + length)),
    });
    at += 9 + length;
  }
  return starts;
}

/** The link of a chapter, behind its title (3GPP TS 26.245, 5.17.1.5), as podcasts of Apple's have it; null: none. */
function linkIn(sample: Buffer, from: number): string | null {
  const href = [...boxesIn(sample, from, sample.length)].find(({ type }) => type === 'href');
  if (!href || href.end - href.body < 5) return null;
  const length = sample[href.body + 4] ?? 0;
  return sample.toString('utf8', href.body + 5, Math.min(href.end, href.body + 5 + length)) || null;
}

interface Sample {
  readonly position: number;
  readonly size: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** The samples of a track, in the order of their times. */
function samplesOf(data: Buffer, track: Box): Sample[] {
  const mdhd = child(data, track, 'mdia', 'mdhd');
  const stbl = child(data, track, 'mdia', 'minf', 'stbl');
  if (!mdhd || !stbl) return [];
  const scale = data.readUInt32BE(mdhd.body + (data[mdhd.body] === 1 ? 20 : 12));
  const table = (type: string): Box | null => child(data, stbl, type);
  const [stts, stsz, stsc] = [table('stts'), table('stsz'), table('stsc')];
  const offsets = table('stco') ?? table('co64');
  if (!stts || !stsz || !stsc || !offsets || scale === 0) return [];

  const count = Math.min(data.readUInt32BE(stsz.body + 8), mostChapters);
  const fixedSize = data.readUInt32BE(stsz.body + 4);
  const durations: number[] = [];
  for (let entry = 0; entry < data.readUInt32BE(stts.body + 4) && durations.length < count; entry += 1) {
    const times = data.readUInt32BE(stts.body + 8 + entry * 8);
    for (let n = 0; n < times && durations.length < count; n += 1)
      durations.push(data.readUInt32BE(stts.body + 12 + entry * 8));
  }
  const chunkCount = data.readUInt32BE(offsets.body + 4);
  const chunkOffset = (chunk: number): number =>
    offsets.type === 'stco'
      ? data.readUInt32BE(offsets.body + 8 + chunk * 4)
      : Number(data.readBigUInt64BE(offsets.body + 8 + chunk * 8));
  const runs = data.readUInt32BE(stsc.body + 4);
  const samples: Sample[] = [];
  let ticks = 0;
  for (let chunk = 0, run = 0; chunk < chunkCount && samples.length < count; chunk += 1) {
    while (run + 1 < runs && data.readUInt32BE(stsc.body + 8 + (run + 1) * 12) <= chunk + 1) run += 1;
    const perChunk = data.readUInt32BE(stsc.body + 12 + run * 12);
    let position = chunkOffset(chunk);
    for (let n = 0; n < perChunk && samples.length < count; n += 1) {
      const size = fixedSize || data.readUInt32BE(stsz.body + 12 + samples.length * 4);
      const duration = durations[samples.length] ?? 0;
      samples.push({ position, size, startSeconds: ticks / scale, endSeconds: (ticks + duration) / scale });
      ticks += duration;
      position += size;
    }
  }
  return samples;
}

function titleIn(text: Buffer): { title: string; end: number } {
  const length = text.length >= 2 ? Math.min(text.readUInt16BE(0), text.length - 2) : 0;
  const utf16 = length >= 2 && text.readUInt16BE(2) === 0xfeff;
  const title = utf16
    ? Buffer.from(text.subarray(4, 2 + length))
        .swap16()
        .toString('utf16le')
    : text.toString('utf8', 2, 2 + length);
  return { title, end: 2 + length };
}

/** A picture as a frame of ID3; null: it is neither JPEG nor PNG. */
function pictureFrameOf(data: Buffer): Buffer | null {
  const mimeType = data[0] === 0xff ? 'image/jpeg' : data.toString('latin1', 1, 4) === 'PNG' ? 'image/png' : null;
  return mimeType && pictureFrame({ type: 0, mimeType, description: '', data });
}

function readSample(handle: number, { position, size }: Sample, most: number): Buffer {
  const bytes = Buffer.alloc(Math.min(size, most));
  return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, position));
}

const largestPicture = 16 * 1024 * 1024;

/** The frames of ID3 that a chapter's link and picture are written as. Pictures are read when a file is written. */
function extrasOf(path: string, link: string | null, picture: Sample | undefined): ChapterExtras | null {
  if (link === null && !picture) return null;
  const frames = (): Id3Frame[] => {
    const found: Buffer[] = link === null ? [] : [linkFrameOf('', link)];
    if (picture) {
      const handle = openSync(path, 'r');
      try {
        found.push(pictureFrameOf(readSample(handle, picture, largestPicture)) ?? Buffer.alloc(0));
      } finally {
        closeSync(handle);
      }
    }
    return framesIn(Buffer.concat(found), 4, false);
  };
  return { frames, hasPicture: picture !== undefined, link };
}

/**
 * QuickTime's list: a text track that another track refers to as "chap". A second one that it refers to has a picture
 * for each chapter, as podcasts of Apple's have them.
 */
function readChapterTrack(path: string, handle: number, data: Buffer, moov: Box): Chapter[] {
  const tracks = [...boxesIn(data, moov.body, moov.end)].filter((box) => box.type === 'trak');
  const reference = tracks
    .map((track) => child(data, track, 'tref', 'chap'))
    .find((box) => box !== null && box.end - box.body >= 4);
  if (!reference) return [];
  const referred = tracks.filter((track) => {
    const tkhd = child(data, track, 'tkhd');
    const id = tkhd && data.readUInt32BE(tkhd.body + (data[tkhd.body] === 1 ? 20 : 12));
    const ids = data.subarray(reference.body, reference.end);
    return id !== null && Array.from({ length: ids.length >> 2 }, (_, n) => ids.readUInt32BE(n * 4)).includes(id);
  });
  const isPicture = (track: Box): boolean => {
    const hdlr = child(data, track, 'mdia', 'hdlr');
    return hdlr !== null && data.toString('latin1', hdlr.body + 8, hdlr.body + 12) === 'vide';
  };
  const titles = referred.find((track) => !isPicture(track));
  const pictures = referred.filter(isPicture).flatMap((track) => samplesOf(data, track));
  return (titles ? samplesOf(data, titles) : []).map((sample) => {
    const text = readSample(handle, sample, 4096);
    const { title, end } = titleIn(text);
    const { startSeconds, endSeconds } = sample;
    const picture = pictures.find((one) => one.startSeconds < endSeconds && one.endSeconds > startSeconds);
    return withExtras({ startSeconds, endSeconds, title }, extrasOf(path, linkIn(text, end), picture));
  });
}

/** Chapters of an MP4 family file; empty without chapters or when the boxes are damaged. */
export function readMp4Chapters(path: string): readonly ChapterStart[] {
  const handle = openSync(path, 'r');
  try {
    const moov = readMoov(handle, outerBoxes(handle));
    if (!moov) return [];
    const track = readChapterTrack(path, handle, moov.data, moov.root);
    return track.length > 0 ? track : readChpl(moov.data, moov.root);
  } finally {
    closeSync(handle);
  }
}

function chplBox(chapters: readonly Chapter[]): Buffer {
  const listed = chapters.slice(0, mostMp4Chapters);
  const entries = listed.map((chapter) => {
    // The length of a title is one byte.
    let title = Buffer.from(chapter.title, 'utf8');
    if (title.length > 255) title = Buffer.from(title.toString('utf8', 0, 252).replace(/\uFFFD$/u, ''), 'utf8');
    const head = Buffer.alloc(9);
    head.writeBigUInt64BE(BigInt(Math.max(0, Math.round(chapter.startSeconds * 1e7))), 0);
    head[8] = title.length;
    return Buffer.concat([head, title]);
  });
  return box('chpl', Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, listed.length]), ...entries);
}

/** Adds `shift` to every chunk offset below `parent`. false when a 32-bit offset would overflow. */
function shiftOffsets(data: Buffer, parent: Box, shift: number): boolean {
  for (const one of boxesIn(data, parent.body, parent.end)) {
    if (['trak', 'mdia', 'minf', 'stbl'].includes(one.type) && !shiftOffsets(data, one, shift)) return false;
    if (one.type !== 'stco' && one.type !== 'co64') continue;
    const count = data.readUInt32BE(one.body + 4);
    for (let index = 0; index < count; index += 1) {
      if (one.type === 'co64') {
        const at = one.body + 8 + index * 8;
        data.writeBigUInt64BE(data.readBigUInt64BE(at) + BigInt(shift), at);
      } else {
        const at = one.body + 8 + index * 4;
        const moved = data.readUInt32BE(at) + shift;
        if (moved > 0xffff_ffff) return false;
        data.writeUInt32BE(moved, at);
      }
    }
  }
  return true;
}

function copyRange(from: number, to: number, start: number, end: number): void {
  const buffer = Buffer.alloc(4 * 1024 * 1024);
  for (let at = start; at < end;) {
    const got = readSync(from, buffer, 0, Math.min(buffer.length, end - at), at);
    if (got <= 0) throw new Error('the file ended during the copy');
    writeSync(to, buffer, 0, got);
    at += got;
  }
}

/** Additions to a finished file that FFmpeg does not write. */
export interface Mp4Additions {
  readonly chapters: readonly Chapter[];
  /** The list of tags in place of the file's; null: as it is. */
  readonly list: Buffer | null;
}

/**
 * Writes chapters (Nero list, which FFmpeg, VLC, mpv and most podcast players read) and a list of tags into a finished
 * file with its movie header at the end, and moves that header to the front, so that playback can start during a
 * download.
 */
export function writeMp4Additions(path: string, additions: Mp4Additions): void {
  const partial = `${path}.chapters`;
  // Closed first: Windows does not replace an open file.
  if (writeWithAdditions(path, partial, additions)) renameFileSync(partial, path);
}

/** Rewrites the whole file; false: its movie header is not at the expected position, and the file is unchanged. */
function writeWithAdditions(path: string, partial: string, additions: Mp4Additions): boolean {
  const handle = openSync(path, 'r');
  try {
    const boxes = outerBoxes(handle);
    const moov = readMoov(handle, boxes);
    const last = boxes.at(-1);
    if (!moov || !last || last.type !== 'moov') return false;
    const { data, root } = moov;
    const udta = child(data, root, 'udta');
    const chpl = additions.chapters.length > 0 ? [chplBox(additions.chapters)] : [];
    const meta = additions.list ? [metaBox(additions.list)] : [];
    const own = (udta ? [...boxesIn(data, udta.body, udta.end)] : [])
      .filter(({ type }) => type !== 'meta' || additions.list === null)
      .map(({ start, end }) => data.subarray(start, end));
    const rest = udta
      ? Buffer.concat([data.subarray(root.body, udta.start), data.subarray(udta.end)])
      : data.subarray(root.body);
    const built = box('moov', rest, box('udta', ...own, ...meta, ...chpl));
    const fresh: Box = { type: 'moov', start: 0, body: 8, end: built.length };
    const shifted = Buffer.from(built);
    const fits = shiftOffsets(shifted, fresh, built.length);
    const ftypEnd = boxes[0]?.type === 'ftyp' ? boxes[0].end : 0;
    const out = openSync(partial, 'w');
    try {
      if (fits) {
        copyRange(handle, out, 0, ftypEnd);
        writeSync(out, shifted);
        copyRange(handle, out, ftypEnd, last.start);
      } else {
        copyRange(handle, out, 0, last.start);
        writeSync(out, built);
      }
    } finally {
      closeSync(out);
    }
    return true;
  } finally {
    closeSync(handle);
  }
}

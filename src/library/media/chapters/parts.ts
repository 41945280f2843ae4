// What AIFF, CAF and FLAC files hold beside their sound and tags: where it is, and the marks in it.
import { closeSync, openSync } from 'node:fs';
import { count } from '../../core/readable.ts';
import type { ChapterStart } from './times.ts';
import { bytesAt } from '../tags/id3-frames.ts';
import { flacBlocks } from '../tags/vorbis-blocks.ts';

export interface FilePart {
  readonly id: string;
  readonly at: number;
  readonly length: number;
}

export interface FileParts {
  readonly kind: 'AIFF' | 'CAF' | 'FLAC';
  /** Samples a second. */
  readonly rate: number;
  /** All, without what only fills space. */
  readonly parts: readonly FilePart[];
}

const mostParts = 1024;
/** Of marks and their names. */
const largestPart = 2 ** 20;
const mostMarks = 10_000;

/** Chunks with a name of four letters, and a length of 32 bits (AIFF, padded to an even one) or of 64 (CAF). */
function chunksIn(handle: number, from: number, isCaf: boolean): FilePart[] {
  const found: FilePart[] = [];
  const headBytes = isCaf ? 12 : 8;
  for (let at = from; found.length < mostParts;) {
    const head = bytesAt(handle, at, headBytes);
    const id = head.toString('latin1', 0, 4);
    if (head.length < headBytes || !/^[\w() -]{4}$/u.test(id)) break;
    const length = isCaf ? Number(head.readBigInt64BE(4)) : head.readUInt32BE(4);
    // Of sound that was still recorded.
    if (length < 0) break;
    found.push({ id, at: at + headBytes, length });
    at += headBytes + length + (isCaf ? 0 : length % 2);
  }
  return found;
}

const bodyOf = (handle: number, parts: readonly FilePart[], id: string): Buffer => {
  const part = parts.find((one) => one.id === id);
  return part ? bytesAt(handle, part.at, Math.min(part.length, largestPart)) : Buffer.alloc(0);
};

/** IEEE 754's number of 80 bits; a rate is above 0. */
const extended = (bytes: Buffer, at: number): number =>
  Number(bytes.readBigUInt64BE(at + 2)) * 2 ** ((bytes.readUInt16BE(at) & 0x7fff) - 16_383 - 63);

const blockNames: Readonly<Record<number, string>> = { 0: 'STREAMINFO', 2: 'APPLICATION', 5: 'CUESHEET' };

function readParts(handle: number): FileParts | null {
  const magic = bytesAt(handle, 0, 12).toString('latin1');
  if (magic.startsWith('FORM') && /AIF[FC]$/u.test(magic)) {
    const parts = chunksIn(handle, 12, false);
    const common = bodyOf(handle, parts, 'COMM');
    return common.length < 18 ? null : { kind: 'AIFF', rate: extended(common, 8), parts };
  }
  if (magic.startsWith('caff')) {
    const parts = chunksIn(handle, 8, true);
    const description = bodyOf(handle, parts, 'desc');
    return description.length < 8 ? null : { kind: 'CAF', rate: description.readDoubleBE(0), parts };
  }
  const blocks = flacBlocks(handle)?.blocks;
  if (!blocks) return null;
  const parts = blocks.flatMap(({ kind, at, length }): FilePart[] => {
    const id = blockNames[kind];
    return id === undefined ? [] : [{ id, at, length }];
  });
  const info = bodyOf(handle, parts, 'STREAMINFO');
  return info.length < 13 ? null : { kind: 'FLAC', rate: info.readUIntBE(10, 3) >> 4, parts };
}

interface Mark {
  readonly frame: number;
  readonly title: string;
}

/** Apple's AIFF, "MARK": names have their length in a byte before them, and an even length with it. */
function aiffMarks(body: Buffer): Mark[] {
  const marks: Mark[] = [];
  const count = body.length < 2 ? 0 : body.readUInt16BE(0);
  for (let at = 2; marks.length < count && at + 7 <= body.length;) {
    const length = body[at + 6] as number;
    marks.push({ frame: body.readUInt32BE(at + 2), title: body.toString('utf8', at + 7, at + 7 + length) });
    at += 7 + length + ((length + 1) % 2);
  }
  return marks;
}

const cafMarkBytes = 28;

/** Apple's Core Audio Format, "mark" and "strg". */
function cafMarks(body: Buffer, strings: Buffer): Mark[] {
  const names = new Map<number, string>();
  const listed = strings.length < 4 ? 0 : Math.min(strings.readUInt32BE(0), Math.floor((strings.length - 4) / 12));
  for (let n = 0; n < listed; n += 1) {
    const start = 4 + listed * 12 + Number(strings.readBigInt64BE(8 + n * 12));
    const end = strings.indexOf(0, start);
    if (start > 0 && end > start) names.set(strings.readUInt32BE(4 + n * 12), strings.toString('utf8', start, end));
  }
  const count = body.length < 8 ? 0 : Math.min(body.readUInt32BE(4), Math.floor((body.length - 8) / cafMarkBytes));
  return Array.from({ length: Math.min(count, mostMarks) }, (_, n) => {
    const at = 8 + n * cafMarkBytes;
    return { frame: body.readDoubleBE(at + 4), title: names.get(body.readUInt32BE(at + 12)) ?? '' };
  });
}

const [cueHead, trackBytes, indexBytes, leadOuts] = [396, 36, 12, [170, 255]];

/** RFC 9639, 8.7. Its tracks have numbers for names; a single one is no chapter. */
function cueMarks(body: Buffer): Mark[] {
  const marks: Mark[] = [];
  for (let at = cueHead; at + trackBytes <= body.length;) {
    const number = body[at + 8] as number;
    if (!leadOuts.includes(number)) marks.push({ frame: Number(body.readBigUInt64BE(at)), title: `Track ${number}` });
    at += trackBytes + indexBytes * (body[at + 35] as number);
  }
  return marks.length > 1 ? marks : [];
}

function marksIn(handle: number, { kind, parts }: FileParts): Mark[] {
  const body = (id: string): Buffer => bodyOf(handle, parts, id);
  if (kind === 'AIFF') return aiffMarks(body('MARK'));
  return kind === 'CAF' ? cafMarks(body('mark'), body('strg')) : cueMarks(body('CUESHEET'));
}

function inFile<T>(path: string, otherwise: T, look: (handle: number, file: FileParts) => T): T {
  const handle = openSync(path, 'r');
  try {
    const file = readParts(handle);
    return file === null ? otherwise : look(handle, file);
  } finally {
    closeSync(handle);
  }
}

/** Marks that have names. */
export const markedChapters = (path: string): ChapterStart[] =>
  inFile<ChapterStart[]>(path, [], (handle, file) =>
    marksIn(handle, file).flatMap(({ frame, title }) =>
      title.trim() === '' ? [] : [{ startSeconds: frame / file.rate, title }],
    ),
  );

/** The sound, its form and what is computed from it; tags, which are read as such; and marks, which are chapters. */
const silent = new Set(
  (
    'COMM,SSND,FVER,NAME,AUTH,(c) ,ANNO,ID3 ' +
    ',FLLR,PEAK,MARK,desc,data,pakt,chan,kuki,free,info,peak,ovvw,mark,strg,STREAMINFO,CUESHEET'
  ).split(','),
);

/** How often what has no place elsewhere is in the file, by name; null: it is of another kind. */
export const partsBeside = (path: string): { readonly kind: string; readonly names: readonly string[] } | null =>
  inFile<ReturnType<typeof partsBeside>>(path, null, (handle, file) => {
    const nameless = marksIn(handle, file).filter(({ title }) => title.trim() === '').length;
    return {
      kind: file.kind,
      names: [
        ...file.parts.flatMap(({ id, at }) => {
          if (silent.has(id)) return [];
          return [id === 'APPLICATION' ? `${id} (${bytesAt(handle, at, 4).toString('latin1')})` : id];
        }),
        ...(nameless > 0 ? [count(nameless, 'mark without a name', 'marks without a name')] : []),
      ],
    };
  });

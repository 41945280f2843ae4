// Chapters of Matroska and WebM (RFC 9559, section 5.1.7), for the same reason as in mp4.ts.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { Chapter } from '../facts.ts';
import type { ChapterStart } from './times.ts';

const ids = {
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  seekPosition: 0x53ac,
  cluster: 0x1f43b675,
  chapters: 0x1043a770,
  tags: 0x1254c367,
  tag: 0x7373,
  simpleTag: 0x67c8,
  edition: 0x45b9,
  atom: 0xb6,
  atomUid: 0x73c4,
  start: 0x91,
  end: 0x92,
  hidden: 0x98,
  display: 0x80,
  string: 0x85,
  language: 0x437c,
} as const;

export interface Element {
  readonly id: number;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

/** Key of the placeholder tag that reserves space for the chapters at a file's start. */
export const roomTag = 'EARSHOT_CHAPTER_ROOM';

const mostChapters = 10_000;
const largestElement = 16 * 1024 * 1024;

/** Length of a variable-size integer by its first byte; 0 for an invalid one. */
const vintLength = (first: number): number => (first === 0 ? 0 : Math.clz32(first) - 23);

function readHeader(data: Buffer, at: number, end: number): { id: number; size: number | null; header: number } | null {
  const idLength = at < data.length ? vintLength(data[at] as number) : 0;
  if (idLength === 0 || idLength > 4 || at + idLength >= data.length) return null;
  const sizeAt = at + idLength;
  const sizeLength = vintLength(data[sizeAt] as number);
  if (sizeLength === 0 || sizeAt + sizeLength > Math.min(end, data.length)) return null;
  let size = (data[sizeAt] as number) & (0xff >> sizeLength);
  let unknown = size === 0xff >> sizeLength;
  for (let n = 1; n < sizeLength; n += 1) {
    const byte = data[sizeAt + n] as number;
    unknown &&= byte === 0xff;
    size = size * 256 + byte;
  }
  return { id: data.readUIntBE(at, idLength), size: unknown ? null : size, header: idLength + sizeLength };
}

/** Elements that lie whole between two places. */
export function* elementsIn(data: Buffer, from: number, to: number): Generator<Element> {
  for (let at = from; at < to;) {
    const header = readHeader(data, at, to);
    if (!header || header.size === null || at + header.header + header.size > to) return;
    const body = at + header.header;
    yield { id: header.id, start: at, body, end: body + header.size };
    at = body + header.size;
  }
}

const unsigned = (data: Buffer, one: Element): number => {
  let value = 0;
  for (let at = one.body; at < one.end; at += 1) value = value * 256 + (data[at] as number);
  return value;
};

/** Elements of the segment before the first cluster. */
function headElements(handle: number): { segmentBody: number; elements: Element[]; size: number } | null {
  const { size } = fstatSync(handle);
  const buffer = Buffer.alloc(16);
  const headerAt = (at: number): ReturnType<typeof readHeader> => {
    const got = readSync(handle, buffer, 0, 16, at);
    return got > 2 ? readHeader(buffer.subarray(0, got), 0, got) : null;
  };
  const ebml = headerAt(0);
  if (!ebml || ebml.size === null) return null;
  const segmentAt = ebml.header + ebml.size;
  const segment = headerAt(segmentAt);
  if (!segment || segment.id !== ids.segment) return null;
  const segmentBody = segmentAt + segment.header;
  const elements: Element[] = [];
  for (let at = segmentBody; at < size && elements.length < 1000;) {
    const header = headerAt(at);
    if (!header || header.size === null || header.id === ids.cluster) break;
    const body = at + header.header;
    elements.push({ id: header.id, start: at, body, end: body + header.size });
    at = body + header.size;
  }
  return { segmentBody, elements, size };
}

function load(handle: number, one: Element): Buffer | null {
  if (one.end - one.start > largestElement) return null;
  const data = Buffer.alloc(one.end - one.start);
  return readSync(handle, data, 0, data.length, one.start) === data.length ? data : null;
}

/** Position of the chapters according to the index, for files that have them at the end. */
function chaptersBySeekHead(
  handle: number,
  head: { segmentBody: number; elements: Element[]; size: number },
): Element | null {
  for (const seekHead of head.elements.filter((one) => one.id === ids.seekHead)) {
    const data = load(handle, seekHead);
    if (!data) continue;
    for (const seek of elementsIn(data, seekHead.body - seekHead.start, data.length)) {
      const parts = [...elementsIn(data, seek.body, seek.end)];
      const id = parts.find((part) => part.id === ids.seekId);
      const position = parts.find((part) => part.id === ids.seekPosition);
      if (!id || !position || unsigned(data, id) !== ids.chapters) continue;
      const start = head.segmentBody + unsigned(data, position);
      const buffer = Buffer.alloc(16);
      const got = start < head.size ? readSync(handle, buffer, 0, 16, start) : 0;
      const header = got > 2 ? readHeader(buffer.subarray(0, got), 0, got) : null;
      if (
        header &&
        header.id === ids.chapters &&
        header.size !== null &&
        start + header.header + header.size <= head.size
      ) {
        return { id: header.id, start, body: start + header.header, end: start + header.header + header.size };
      }
    }
  }
  return null;
}

/** Chapters of a Matroska or WebM file; empty without chapters or when the elements are damaged. */
export function readMatroskaChapters(path: string): ChapterStart[] {
  const handle = openSync(path, 'r');
  try {
    const head = headElements(handle);
    if (!head) return [];
    const element = head.elements.find((one) => one.id === ids.chapters) ?? chaptersBySeekHead(handle, head);
    const data = element && load(handle, element);
    if (!element || !data) return [];
    const found: ChapterStart[] = [];
    for (const edition of elementsIn(data, element.body - element.start, data.length)) {
      if (edition.id !== ids.edition) continue;
      for (const atom of elementsIn(data, edition.body, edition.end)) {
        if (atom.id !== ids.atom || found.length >= mostChapters) continue;
        const parts = [...elementsIn(data, atom.body, atom.end)];
        const time = (id: number): number | null => {
          const part = parts.find((one) => one.id === id);
          return part ? unsigned(data, part) / 1e9 : null;
        };
        const display = parts.find((one) => one.id === ids.display);
        const text = display && [...elementsIn(data, display.body, display.end)].find((one) => one.id === ids.string);
        const endSeconds = time(ids.end);
        found.push({
          startSeconds: time(ids.start) ?? 0,
          ...(endSeconds === null ? {} : { endSeconds }),
          title: text ? data.toString('utf8', text.body, text.end) : '',
        });
      }
      // Further editions are alternative cuts of the same film.
      if (found.length > 0) break;
    }
    return found;
  } finally {
    closeSync(handle);
  }
}

function element(id: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const name = Buffer.from(id.toString(16).padStart(id > 0xffff ? 8 : id > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([name, sized(body.length, 8), body]);
}

/** A size as a variable-size integer of the given width. */
function sized(size: number, width: number): Buffer {
  const bytes = Buffer.alloc(width);
  let rest = size;
  for (let at = width - 1; at >= 0; at -= 1) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[0] = (bytes[0] as number) | (1 << (8 - width));
  return bytes;
}

const number8 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(Math.max(0, Math.round(value))));
  return bytes;
};

function chaptersElement(chapters: readonly Chapter[]): Buffer {
  const atoms = chapters.map((chapter, index) =>
    element(
      ids.atom,
      element(ids.atomUid, number8(index + 1)),
      element(ids.start, number8(chapter.startSeconds * 1e9)),
      element(ids.end, number8(chapter.endSeconds * 1e9)),
      element(
        ids.display,
        element(ids.string, Buffer.from(chapter.title, 'utf8')),
        element(ids.language, Buffer.from('und')),
      ),
    ),
  );
  return element(ids.chapters, element(ids.edition, ...atoms));
}

/** A tag value as long as the chapters will be, which reserves their space before the first cluster. */
export const chapterRoom = (chapters: readonly Chapter[]): string => '.'.repeat(chaptersElement(chapters).length + 16);

/** Replaces the placeholder tag with the chapters; the file's length and all positions in it stay the same. */
export function writeMatroskaChapters(path: string, chapters: readonly Chapter[]): void {
  const handle = openSync(path, 'r+');
  try {
    for (const tags of headElements(handle)?.elements.filter((one) => one.id === ids.tags) ?? []) {
      const data = load(handle, tags);
      if (!data) continue;
      const rebuilt: Buffer[] = [];
      let found = false;
      for (const tag of elementsIn(data, tags.body - tags.start, data.length)) {
        if (tag.id !== ids.tag) continue;
        const parts = [...elementsIn(data, tag.body, tag.end)];
        const kept = parts.filter(
          (part) => !(part.id === ids.simpleTag && data.subarray(part.body, part.end).includes(roomTag)),
        );
        found ||= kept.length < parts.length;
        if (kept.some((part) => part.id === ids.simpleTag))
          rebuilt.push(element(ids.tag, ...kept.map((part) => data.subarray(part.start, part.end))));
      }
      if (!found) continue;
      const fresh = Buffer.concat([
        ...(rebuilt.length > 0 ? [element(ids.tags, ...rebuilt)] : []),
        chaptersElement(chapters),
      ]);
      // A Void element fills the rest: one byte of id, eight of size.
      const left = data.length - fresh.length;
      if (left !== 0 && left < 9) return;
      const filler =
        left === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0xec]), sized(left - 9, 8), Buffer.alloc(left - 9)]);
      writeSync(handle, Buffer.concat([fresh, filler]), 0, data.length, tags.start);
      return;
    }
  } finally {
    closeSync(handle);
  }
}

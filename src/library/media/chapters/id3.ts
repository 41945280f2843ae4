// Chapters in ID3v2 tags ("ID3v2 Chapter Frame Addendum": CHAP and CTOC). node-av gives no access to FFmpeg's chapters.
import { type ChapterExtras, extrasOf, withExtras } from '../chapter-extras.ts';
import type { Chapter } from '../facts.ts';
import { linkFrameOf } from '../tags/id3.ts';
import {
  encodedTexts,
  endOfText,
  framesIn,
  type Id3Frame,
  id3Frame,
  type Id3Tag,
  readId3Tag,
  textsIn,
} from '../tags/id3-frames.ts';

const mostChapters = 10_000;
/** Per chapter: title, description, link, picture. */
const mostChapterFrames = 100;

const isTitle = ({ id }: Id3Frame): boolean => id === 'TIT2';

const innerFrames = ({ data }: Id3Frame, version: number): Id3Frame[] =>
  framesIn(data.subarray(data.indexOf(0) + 17), version, false, mostChapterFrames);

function linkOf(frames: readonly Id3Frame[]): string | null {
  const frame = frames.find(({ id }) => id === 'WXXX');
  if (frame === undefined) return null;
  const { next } = endOfText(frame.data, 1, frame.data[0] ?? 0);
  return textsIn(frame.data, next, 0)[0] ?? null;
}

/** The chapter frames of a tag, in the order of their starts. */
const chaptersOf = ({ frames }: Id3Tag): Id3Frame[] =>
  frames
    .filter(({ id, data }) => id === 'CHAP' && data.includes(0) && data.length >= data.indexOf(0) + 17)
    .slice(0, mostChapters)
    .toSorted((a, b) => startOf(a) - startOf(b));

const startOf = ({ data }: Id3Frame): number => data.readUInt32BE(data.indexOf(0) + 1);

/** Reads a file's tag when its chapters' frames are wanted, once for all of them. */
function framesLater(path: string): (at: number) => readonly Id3Frame[] {
  let all: readonly (readonly Id3Frame[])[] | null = null;
  const read = (): readonly (readonly Id3Frame[])[] => {
    const tag = readId3Tag(path);
    return tag ? chaptersOf(tag).map((frame) => innerFrames(frame, tag.version).filter((one) => !isTitle(one))) : [];
  };
  return (at) => (all ??= read())[at] ?? [];
}

/** Apart from the frames themselves, so that the facts of a file do not keep its tag in memory. */
const extrasFrom = (
  at: number,
  frames: (at: number) => readonly Id3Frame[],
  hasPicture: boolean,
  link: string | null,
): ChapterExtras => ({ frames: () => frames(at), hasPicture, link });

function chapterOf(frame: Id3Frame, at: number, version: number, later: (at: number) => readonly Id3Frame[]): Chapter {
  const { data } = frame;
  const inner = innerFrames(frame, version);
  const title = inner.find(isTitle);
  const others = inner.filter((one) => !isTitle(one));
  const hasPicture = others.some(({ id }) => id === 'APIC');
  const chapter = {
    startSeconds: startOf(frame) / 1000,
    endSeconds: data.readUInt32BE(data.indexOf(0) + 5) / 1000,
    title: title ? (textsIn(title.data, 1, title.data[0] ?? 0)[0] ?? '') : '',
  };
  return withExtras(chapter, others.length > 0 ? extrasFrom(at, later, hasPicture, linkOf(others)) : null);
}

/** Chapters of an MP3, WAV or AIFF file; empty without chapters or when the tag is damaged. */
export function readId3Chapters(path: string): Chapter[] {
  const tag = readId3Tag(path);
  const later = framesLater(path);
  return tag === null ? [] : chaptersOf(tag).map((frame, at) => chapterOf(frame, at, tag.version, later));
}

const milliseconds = (seconds: number): number => Math.min(0xffff_fffe, Math.max(0, Math.round(seconds * 1000)));
const name = (text: string): Buffer => Buffer.from(`${text}\0`, 'latin1');

/** A list counts its entries in one byte, so a longer list is a list of lists. */
const mostEntries = 255;

function contents(id: string, isTop: boolean, entries: readonly string[]): Buffer {
  const flags = (isTop ? 2 : 0) | 1; // ordered
  return id3Frame('CTOC', name(id), Buffer.from([flags, entries.length]), ...entries.map(name));
}

function extraFrames(extras: ChapterExtras | null): Buffer[] {
  if (extras === null) return [];
  const frames = extras.frames().map(({ id, data }) => id3Frame(id, data));
  return frames.length === 0 && extras.link !== null ? [linkFrameOf('chapter url', extras.link)] : frames;
}

/** CTOC and CHAP frames, times in whole milliseconds. Up to 65,025 chapters. */
export function chapterFrames(chapters: readonly Chapter[]): Buffer[] {
  if (chapters.length === 0) return [];
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
    ...chapters.map((chapter, at) => {
      const times = Buffer.alloc(16, 0xff); // no places in bytes
      times.writeUInt32BE(milliseconds(chapter.startSeconds), 0);
      times.writeUInt32BE(milliseconds(chapter.endSeconds), 4);
      const title = id3Frame('TIT2', encodedTexts([chapter.title]));
      return id3Frame('CHAP', name(ids[at] as string), times, title, ...extraFrames(extrasOf(chapter)));
    }),
  ];
}

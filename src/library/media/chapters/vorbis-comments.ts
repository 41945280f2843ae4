// Chapters in Vorbis comments of Ogg Vorbis, Opus, Speex and FLAC: CHAPTER001=00:00:00.000, CHAPTER001NAME=Title and
// CHAPTER001URL=link (wiki.xiph.org, "Chapter Extension"). FFmpeg removes them from the tags that it shows.
import { closeSync, openSync } from 'node:fs';
import { extrasOf, withExtras } from '../chapter-extras.ts';
import type { Chapter } from '../facts.ts';
import { commentsIn } from '../tags/vorbis.ts';
import { readCommentBlock } from '../tags/vorbis-blocks.ts';
import type { ChapterStart } from './times.ts';

/** Numbers have three digits. */
export const mostVorbisChapters = 999;
/** Of a comment that is a chapter's, or shown. */
const longestComment = 65_536;

const clock = (seconds: number): string => {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const pad = (value: number, digits: number): string => String(Math.floor(value)).padStart(digits, '0');
  const hours = pad(milliseconds / 3_600_000, 2);
  return `${hours}:${pad((milliseconds / 60_000) % 60, 2)}:${pad((milliseconds / 1000) % 60, 2)}.${pad(milliseconds % 1000, 3)}`;
};

/** Chapters as comments; ends and pictures cannot be stored. */
export const vorbisChapters = (chapters: readonly Chapter[]): Buffer[] =>
  chapters
    .slice(0, mostVorbisChapters)
    .flatMap((chapter, at) => {
      const key = `CHAPTER${String(at + 1).padStart(3, '0')}`;
      const link = extrasOf(chapter)?.link ?? null;
      return [
        `${key}=${clock(chapter.startSeconds)}`,
        `${key}NAME=${chapter.title}`,
        ...(link === null ? [] : [`${key}URL=${link}`]),
      ];
    })
    .map((comment) => Buffer.from(comment, 'utf8'));

const timePattern = /^(\d{1,4}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)$/;

function startsIn(block: Buffer): ChapterStart[] {
  const times = new Map<number, number>();
  const [titles, links] = [new Map<number, string>(), new Map<number, string>()];
  for (const { name, value: bytes } of commentsIn(block)) {
    const parts = /^CHAPTER(\d{1,3})(NAME|URL)?$/i.exec(name);
    if (!parts || bytes.length > longestComment) continue;
    const number = Number(parts[1]);
    const value = bytes.toString('utf8');
    const time = timePattern.exec(value.trim());
    if (parts[2] !== undefined) (parts[2].toUpperCase() === 'URL' ? links : titles).set(number, value);
    else if (time) times.set(number, Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3]));
  }
  return [...times]
    .map(([number, startSeconds]) => {
      const link = links.get(number) ?? null;
      const extras = { frames: () => [], hasPicture: false, link };
      return withExtras({ startSeconds, title: titles.get(number) ?? '' }, link === null ? null : extras);
    })
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
}

/** The number of comments that a FLAC or Ogg file declares; 0 without any. */
export function vorbisCommentCount(handle: number): number {
  const block = readCommentBlock(handle)?.comments ?? null;
  if (block === null || block.length < 8) return 0;
  const at = 4 + block.readUInt32LE(0);
  // At most as many as fit.
  return at + 4 > block.length ? 0 : Math.min(block.readUInt32LE(at), Math.floor((block.length - at) / 4));
}

function commentsOf(path: string): Buffer {
  const handle = openSync(path, 'r');
  try {
    return readCommentBlock(handle)?.comments ?? Buffer.alloc(0);
  } finally {
    closeSync(handle);
  }
}

/** Starts of the chapters of a FLAC or Ogg file; empty without chapters or when the file is damaged. */
export const readVorbisChapters = (path: string): ChapterStart[] => startsIn(commentsOf(path));

/**
 * Comment and description of a FLAC or Ogg file that has both; empty for others. FFmpeg reads both as a comment and
 * joins them.
 */
export function readDescribed(path: string): { comment?: string; description?: string } {
  const found: { comment?: string; description?: string } = {};
  for (const { name, value } of commentsIn(commentsOf(path)))
    if (/^(?:COMMENT|DESCRIPTION)$/iu.test(name) && value.length <= longestComment)
      found[name.toLowerCase() as keyof typeof found] ??= value.toString('utf8');
  return found.comment !== undefined && found.description !== undefined ? found : {};
}

import type { Chapter } from '../facts.ts';
import { chapterRoom, readMatroskaChapters, roomTag, writeMatroskaChapters } from './matroska.ts';
import { readMp4Chapters, writeMp4Chapters } from './mp4.ts';

/** Chapters by FFmpeg's demuxer name. Other containers than the MP4 and Matroska families answer none. */
export function readChapters(path: string, demuxer: string): Chapter[] {
  const read = demuxer.includes('mp4') ? readMp4Chapters : demuxer.includes('matroska') ? readMatroskaChapters : null;
  try {
    return read?.(path) ?? [];
  } catch (error) {
    // Damaged boxes run past the buffer's end; a file without readable chapters is still a file.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

const isMp4 = (muxer: string): boolean => ['mp4', 'mov', 'ipod'].includes(muxer);
const isMatroska = (muxer: string): boolean => ['matroska', 'webm'].includes(muxer);

/** Muxer options and tags that leave room for chapters to be written when the file is complete. */
export function prepareChapters(
  muxer: string,
  chapters: readonly Chapter[],
): { options: Record<string, string>; tags: Record<string, string> } {
  if (isMp4(muxer)) return { options: chapters.length > 0 ? {} : { movflags: '+faststart' }, tags: {} };
  if (isMatroska(muxer) && chapters.length > 0)
    return { options: { write_crc32: '0' }, tags: { [roomTag]: chapterRoom(chapters) } };
  return { options: {}, tags: {} };
}

/** Writes chapters into a finished file that was opened with `prepareChapters`. */
export function writeChapters(path: string, muxer: string, chapters: readonly Chapter[]): void {
  if (chapters.length === 0) return;
  if (isMp4(muxer)) writeMp4Chapters(path, chapters);
  else if (isMatroska(muxer)) writeMatroskaChapters(path, chapters);
}

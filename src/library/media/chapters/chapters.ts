import type { Warning } from '../../core/progress/progress.ts';
import type { Chapter } from '../facts.ts';
import { type ChapterStart, withEnds } from './times.ts';
import { id3Room, readId3Chapters, writeId3Chapters } from './id3.ts';
import { chapterRoom, readMatroskaChapters, writeMatroskaChapters } from './matroska.ts';
import { mostMp4Chapters, readMp4Chapters, writeMp4Additions } from './mp4.ts';
import { freeFormTags, nameComment, roomTag } from '../tags.ts';
import { mostVorbisChapters, readVorbisChapters, vorbisChapterTags } from './vorbis-comments.ts';

function readerFor(demuxer: string): ((path: string) => readonly ChapterStart[]) | null {
  if (demuxer.includes('mp4')) return readMp4Chapters;
  if (demuxer.includes('matroska')) return readMatroskaChapters;
  if (['mp3', 'wav', 'aiff', 'aac'].includes(demuxer)) return readId3Chapters;
  return ['ogg', 'flac'].includes(demuxer) ? readVorbisChapters : null;
}

/**
 * Chapters, by FFmpeg's demuxer name: of the MP4 and Matroska families, of ID3v2 tags (MP3, WAV, AIFF) and of Vorbis
 * comments (Ogg, Opus, FLAC). Other formats have none.
 */
export function readChapters(path: string, demuxer: string, durationSeconds: number | null): Chapter[] {
  try {
    return withEnds(readerFor(demuxer)?.(path) ?? [], durationSeconds);
  } catch (error) {
    // Damaged boxes run past the buffer's end; the file itself may still be usable.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

const isMp4 = (muxer: string): boolean => ['mp4', 'mov', 'ipod'].includes(muxer);
const isMatroska = (muxer: string): boolean => ['matroska', 'webm'].includes(muxer);
const hasId3 = (muxer: string): boolean => ['mp3', 'wav', 'aiff'].includes(muxer);
const hasVorbisComments = (muxer: string): boolean => ['ogg', 'opus', 'flac'].includes(muxer);

/**
 * Muxer options and tags that write chapters, or reserve space to write them once the file is complete.
 * @param tags of the file
 * @param changedLater is something else put into the header of an MP4 or MOV before `writeChapters`?
 */
export function prepareChapters(
  muxer: string,
  chapters: readonly Chapter[],
  tags: Readonly<Record<string, string>>,
  changedLater = false,
): { options: Record<string, string>; tags: Record<string, string> } {
  if (isMp4(muxer)) {
    const later = changedLater || chapters.length > 0 || freeFormTags(muxer, tags).length > 0;
    return { options: later ? {} : { movflags: '+faststart' }, tags: {} };
  }
  if (chapters.length === 0) return { options: {}, tags: {} };
  if (isMatroska(muxer)) return { options: { write_crc32: '0' }, tags: { [roomTag]: chapterRoom(chapters) } };
  if (muxer === 'mp3') return { options: {}, tags: { [roomTag]: id3Room(chapters) } };
  return { options: {}, tags: hasVorbisComments(muxer) ? vorbisChapterTags(chapters) : {} };
}

/**
 * Writes chapters, and tags that the muxer cannot write, into a finished file opened with `prepareChapters`. WAV and
 * AIFF get them with their ID3 tag.
 * @param tags of the file, as they were given to the muxer
 * @param changedLater as `prepareChapters` was told
 */
export function writeChapters(
  path: string,
  muxer: string,
  chapters: readonly Chapter[],
  tags: Readonly<Record<string, string>>,
  changedLater = false,
): void {
  nameComment(path, tags);
  const freeForm = freeFormTags(muxer, tags);
  if (!changedLater && chapters.length === 0 && freeForm.length === 0) return;
  if (isMp4(muxer)) writeMp4Additions(path, { chapters, freeForm });
  else if (isMatroska(muxer)) writeMatroskaChapters(path, chapters);
  else if (muxer === 'mp3') writeId3Chapters(path, chapters);
}

/** Most chapters in a file of this muxer. */
export function mostChapters(muxer: string): number {
  if (isMp4(muxer)) return mostMp4Chapters;
  if (hasVorbisComments(muxer)) return mostVorbisChapters;
  return isMatroska(muxer) || hasId3(muxer) ? 65_025 : 0;
}

/** Warns of chapters that will not be in the output. */
export function chapterWarnings(muxer: string, extension: string, chapters: readonly Chapter[]): Warning[] {
  const most = mostChapters(muxer);
  if (chapters.length <= most) return [];
  return [
    {
      code: 'chapters_dropped',
      message:
        most === 0
          ? `${extension} files cannot hold chapters; the source's ${chapters.length} are not in the output`
          : `${extension} files hold at most ${most} chapters; ` +
            `the last ${chapters.length - most} are not in the output`,
    },
  ];
}

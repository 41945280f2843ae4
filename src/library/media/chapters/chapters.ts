import type { Chapter } from '../facts.ts';
import { type ChapterStart, withEnds } from './times.ts';
import { readId3Chapters } from './id3.ts';
import { readMatroskaChapters } from './matroska.ts';
import { mostMp4Chapters, readMp4Chapters } from './mp4.ts';
import { mostVorbisChapters, readVorbisChapters } from './vorbis-comments.ts';
import { markedChapters } from './parts.ts';

function readerFor(demuxer: string): ((path: string) => readonly ChapterStart[]) | null {
  if (demuxer.includes('mp4')) return readMp4Chapters;
  if (demuxer.includes('matroska')) return readMatroskaChapters;
  if (['mp3', 'wav', 'aiff', 'aac'].includes(demuxer)) return readId3Chapters;
  return ['ogg', 'flac'].includes(demuxer) ? readVorbisChapters : null;
}

/**
 * Chapters, by FFmpeg's demuxer name: of the MP4 and Matroska families, of ID3v2 tags (MP3, WAV, AIFF) and of Vorbis
 * comments (Ogg, Opus, FLAC), else marks with names of AIFF and CAF, and tracks of FLAC's cue sheet. Other formats have
 * none.
 */
export function readChapters(path: string, demuxer: string, durationSeconds: number | null): Chapter[] {
  try {
    const starts = readerFor(demuxer)?.(path) ?? [];
    const isMarked = starts.length === 0 && ['aiff', 'caf', 'flac'].includes(demuxer);
    return withEnds(isMarked ? markedChapters(path) : starts, durationSeconds);
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

/** Most chapters in a file of this muxer. */
export function mostChapters(muxer: string): number {
  if (isMp4(muxer)) return mostMp4Chapters;
  if (hasVorbisComments(muxer)) return mostVorbisChapters;
  return isMatroska(muxer) || hasId3(muxer) ? 65_025 : 0;
}

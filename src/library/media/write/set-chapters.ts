// A recording with other chapters: packets copied as they are.
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { mostChapters } from '../chapters/chapters.ts';
import { type ChapterStart, withEnds } from '../chapters/times.ts';
import { extrasOf, withExtras } from '../chapter-extras.ts';
import type { Chapter } from '../facts.ts';
import { beforeCopying, copyChanged, type CopyingOptions } from './copy-changed.ts';

/**
 * Copies a recording with these chapters in place of its own: sound, pictures, subtitles, tags and cover as they are,
 * nothing encoded again. Where a chapter says no end, the next one or the recording's end is it.
 * @param target in a folder that is there; a file of that name is replaced when the copy is complete
 * @throws EarshotError as `probe`; bad_request for a chapter that begins behind the end; unsupported_format for a
 *   container that has no place for them; AbortError
 */
export async function setChapters(
  path: string,
  target: string,
  starts: readonly ChapterStart[],
  options: CopyingOptions,
): Promise<Chapter[]> {
  throwIfAborted(options.signal);
  const { facts, muxer } = beforeCopying(path);
  const chapters = withEnds(starts, facts.durationSeconds).map((chapter) => withOldExtras(chapter, facts.chapters));
  const late = chapters.find(({ startSeconds }) => startSeconds >= (facts.durationSeconds ?? Number.POSITIVE_INFINITY));
  if (late !== undefined)
    throw new EarshotError(
      'bad_request',
      `The chapter "${late.title}" begins at ${late.startSeconds} s, and the recording ends after ` +
        `${facts.durationSeconds} s`,
      { nextAction: 'Correct the time of the chapter.' },
    );
  const most = muxer === null ? 0 : mostChapters(muxer);
  if (muxer === null || chapters.length > most)
    throw new EarshotError(
      'unsupported_format',
      most === 0
        ? `A file of kind ${facts.format} has no place for chapters`
        : `A file of kind ${facts.format} holds at most ${most} chapters, and ${chapters.length} came`,
      { nextAction: 'Convert it first: MP3, M4A, FLAC, Ogg, Opus, WAV, MP4 and MKV take chapters.' },
    );
  await copyChanged(target, { ...facts, chapters }, options);
  return chapters;
}

const sameSeconds = 0.001;

/** A chapter that begins where one did keeps that one's links and pictures, for which a list has no place. */
function withOldExtras(chapter: Chapter, old: readonly Chapter[]): Chapter {
  const before = old.find(({ startSeconds }) => Math.abs(startSeconds - chapter.startSeconds) < sameSeconds);
  return withExtras(chapter, before ? extrasOf(before) : null);
}

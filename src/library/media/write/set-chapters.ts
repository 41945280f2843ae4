// A recording with other chapters: packets copied as they are.
import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors.ts';
import { renameFileSync } from '../../core/rename-file.ts';
import { mostChapters } from '../chapters/chapters.ts';
import { type ChapterStart, withEnds } from '../chapters/ends.ts';
import type { Chapter, MediaFacts } from '../facts.ts';
import { openInput } from '../ffmpeg/ffmpeg.ts';
import { factsOf } from '../read/probe.ts';
import { attemptsFor, copy } from './trim.ts';

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
  { signal }: { readonly signal: AbortSignal },
): Promise<Chapter[]> {
  throwIfAborted(signal);
  const facts = look(path);
  const chapters = withEnds(starts, facts.durationSeconds);
  const late = chapters.find(({ startSeconds }) => startSeconds >= (facts.durationSeconds ?? Number.POSITIVE_INFINITY));
  if (late !== undefined)
    throw new EarshotError(
      'bad_request',
      `The chapter "${late.title}" begins at ${late.startSeconds} s, and the recording ends after ${facts.durationSeconds} s`,
      { nextAction: 'Correct the time of the chapter.' },
    );
  const [attempt] = attemptsFor(facts);
  const most = attempt === undefined ? 0 : mostChapters(attempt.muxer);
  if (attempt === undefined || chapters.length > most)
    throw new EarshotError(
      'unsupported_format',
      most === 0
        ? `A file of kind ${facts.format} has no place for chapters`
        : `A file of kind ${facts.format} holds at most ${most} chapters, and ${chapters.length} came`,
      { nextAction: 'Convert it first: MP3, M4A, FLAC, Ogg, Opus, WAV, MP4 and MKV take chapters.' },
    );
  const part = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  try {
    await copy(path, part, Number.POSITIVE_INFINITY, attempt, { ...facts, chapters }, signal);
    renameFileSync(part, target);
  } finally {
    rmSync(part, { force: true });
  }
  return chapters;
}

function look(path: string): MediaFacts {
  const input = openInput(path);
  try {
    return factsOf(input, path);
  } finally {
    input.close();
  }
}

// `earshot split`: where a recording is cut in pieces, as ranges to keep in files of their own.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { pathError } from '../../library/core/errors/file-errors.ts';
import type { Progress } from '../../library/core/progress/progress.ts';
import { createUntypedEngine } from '../../library/runtime/engine/engine.ts';
import type { AnalyzeAudioResult } from '../../library/tools/analyze_audio/result.ts';
import type { CommonFlags, Piece } from './pieces.ts';
import { isPipe } from './standard-streams.ts';
import { readTime } from '../../library/tools/said-values.ts';

/** Where a piece begins; the first begins with the recording. */
interface Mark {
  readonly seconds: number;
  /** '': none. */
  readonly title: string;
}

export interface Split {
  /** As flags of `cut` say it. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Of the pieces, in order; '': none. */
  readonly titles: readonly string[];
}

const usage = (message: string, nextAction: string): EarshotError =>
  new EarshotError('bad_request', message, { nextAction });

const ways = ['at', 'every', 'atChapters', 'atSilences', 'atLabels'] as const;
const flagOf = (name: string): string => `--${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`;
const such = 'Such as --at 0:05,12:30, --every 10:00, --at-chapters, --at-silences or --at-labels chapters.txt.';

/**
 * The pieces that flags ask for; null: none.
 * @param typed options, by the interface's names
 * @throws EarshotError bad_request: several of the flags, ranges beside them, not one recording, or nothing to split at
 */
export async function splitOf(
  files: readonly string[],
  typed: Readonly<Record<string, unknown>>,
  flags: CommonFlags,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Split | null> {
  const given = ways.filter((way) => flags[way] !== undefined && flags[way] !== false);
  const [way] = given;
  const needs = typed['output'] === 'separate' && typed['mode'] === 'keep' && typed['ranges'] === undefined;
  if (way === undefined) {
    if (needs && flags.rangesFrom === undefined) throw usage('Expected where to split but received nothing', such);
    return null;
  }
  if (given.length > 1) throw usage(`Expected one of ${given.map(flagOf).join(', ')} but received them all`, such);
  if (typed['ranges'] !== undefined)
    throw usage(`Expected either --ranges or ${flagOf(way)} but received both`, 'Leave out one of them.');
  const [file] = files;
  if (file === undefined || files.length > 1 || isPipe(file))
    throw usage(`Expected one recording, as a file, with ${flagOf(way)}`, 'Split one after the other.');
  const { lengthOf } = await import('../../library/media/read/length.ts');
  const end = await lengthOf(file);
  const marks = (await marksOf(way, file, end, flags, signal, onProgress)).filter(({ seconds }) => seconds < end);
  const starts = marks.toSorted((one, other) => one.seconds - other.seconds);
  if ((starts[0]?.seconds ?? 0) > 0) starts.unshift({ seconds: 0, title: '' });
  if (starts.length < 2)
    throw usage(`Expected a place to split ${basename(file)} at but ${flagOf(way)} has none within its length`, such);
  const ranges = starts.map(({ seconds }, at) => [seconds, starts[at + 1]?.seconds ?? end]);
  return {
    options: { ranges: JSON.stringify(ranges), mode: 'keep', output: 'separate' },
    titles: starts.map(({ title }) => title),
  };
}

async function marksOf(
  way: (typeof ways)[number],
  file: string,
  end: number,
  { at = '', every = '', atLabels = '', minSilence = '2' }: CommonFlags,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Mark[]> {
  if (way === 'at') return at.split(/[,;]\s*|\s+/).map((typed) => ({ seconds: time(typed, '--at'), title: '' }));
  if (way === 'every') {
    const step = time(every, '--every');
    if (step <= 0 || end / step > 10_000) throw usage(`Expected a length for --every but received ${every}`, such);
    return Array.from({ length: Math.ceil(end / step) }, (_, index) => ({ seconds: index * step, title: '' }));
  }
  if (way === 'atLabels') {
    const { readChapterMarks } = await import('../../library/tools/chapter-marks.ts');
    const text = await readFile(atLabels, 'utf8').catch((thrown: unknown) => {
      throw pathError(thrown, atLabels, 'input');
    });
    return readChapterMarks(text, basename(atLabels)).map(({ startSeconds, title }) => ({
      seconds: startSeconds,
      title,
    }));
  }
  if (way === 'atChapters') {
    const { probe } = await import('../../library/media/read/probe.ts');
    return probe(file).chapters.map(({ startSeconds, title }) => ({ seconds: startSeconds, title: title ?? '' }));
  }
  const shortest = time(minSilence, '--min-silence');
  await using engine = createUntypedEngine({ runsPerProcess: 1 });
  const { result } = await engine.run('analyze_audio', file, { detail: 'full' }, { signal, onProgress });
  return (result as unknown as AnalyzeAudioResult).silences.stretches
    .filter(({ startSeconds: from, endSeconds: to }) => from > 0 && to < end && to - from >= shortest)
    .map(({ startSeconds: from, endSeconds: to }) => ({ seconds: (from + to) / 2, title: '' }));
}

function time(typed: string, flag: string): number {
  const seconds = readTime(typed);
  if (seconds === null || seconds < 0) throw usage(`Expected times for ${flag} but received ${typed}`, such);
  return seconds;
}

/** What file systems take of a title. */
const inName = (title: string): string =>
  title
    // oxlint-disable-next-line no-control-regex -- what no name may hold
    .replaceAll(/[\u0000-\u001f<>:"/\\|?*]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 80);

/** The pieces of a run with their titles behind their numbers: show-2 Questions.cut.mp3. */
export const withTitles = (piece: Piece, titles: readonly string[]): Piece => {
  const { nameOutput } = piece.destination.control;
  if (nameOutput === undefined || titles.every((title) => title === '')) return piece;
  const named = (usual: string): string =>
    nameOutput(
      usual.replace(/-(\d+)((?:\.[\w-]+)?\.\w+)$/, (whole, number: string, ending: string) => {
        const title = inName(titles[Number(number) - 1] ?? '');
        return title === '' ? whole : `-${number} ${title}${ending}`;
      }),
    );
  const control = { ...piece.destination.control, nameOutput: named };
  return { ...piece, destination: { ...piece.destination, control } };
};

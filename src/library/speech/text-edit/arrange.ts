// From the words that stay to the stretches of sound that stay, and the transcript of the result.
import type { TimeRange } from '../../core/time-range.ts';
import type { Transcript, TranscriptWord } from '../../contract/transcript.ts';
import { shortestSeconds } from '../fillers/cut-edges.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { splitSentences } from '../transcript/sentences/split.ts';
import { type SeamSide, seamBetween } from './seams.ts';
import type { SourceWord, Stretch, TextEdit } from './text-edit.ts';

export interface Arrangement {
  /** Stretches of the recording in the order of the output, each with what it says; none empty. */
  readonly keeps: readonly TimeRange[];
  /** Words that could not be cut out, since others are spoken at the same time. */
  readonly overlapped: readonly string[];
}

/** Times of words overlap a little also of one voice alone. */
const overlapSeconds = 0.1;

/** Sound before the first word and after the last one stays where it is. */
export function arrange(sound: SpeechSound, { words, kept }: Pick<TextEdit, 'words' | 'kept'>): Arrangement {
  const { stretches, overlapped } = withOverlapped(words, kept);
  const duration = sound.durationSeconds;
  const keeps: TimeRange[] = [];
  let startSeconds = 0;
  let last = -1;
  for (const next of [...stretches, { from: words.length, to: words.length }]) {
    const isOn = next.from === last + 1;
    if (!isOn) {
      const seam = seamBetween(sound, sideAt(words, last, 1, duration), sideAt(words, next.from, -1, duration));
      const isNothing = next.from > last && seam.startSeconds - seam.endSeconds < shortestSeconds;
      if (!isNothing) {
        if (seam.endSeconds > startSeconds) keeps.push({ startSeconds, endSeconds: seam.endSeconds });
        ({ startSeconds } = seam);
      }
    }
    last = next.to - 1;
  }
  if (duration > startSeconds) keeps.push({ startSeconds, endSeconds: duration });
  return { keeps, overlapped };
}

/** The word at a seam and its neighbour there; before the first and after the last word are the recording's ends. */
function sideAt(words: readonly SourceWord[], at: number, step: 1 | -1, duration: number): SeamSide {
  const ends: Readonly<Record<string, TimeRange>> = {
    '-1': { startSeconds: 0, endSeconds: 0 },
    [words.length]: { startSeconds: duration, endSeconds: duration },
  };
  return { stays: words[at] ?? (ends[at] as TimeRange), goes: words[at + step] ?? null };
}

/** Keeps removed passages under which kept words are spoken. */
function withOverlapped(
  words: readonly SourceWord[],
  kept: readonly Stretch[],
): { stretches: Stretch[]; overlapped: string[] } {
  const stays = new Uint8Array(words.length);
  for (const { from, to } of kept) stays.fill(1, from, to);
  const spoken = words.filter((_, at) => stays[at] === 1).toSorted((a, b) => a.startSeconds - b.startSeconds);
  const overlapped: string[] = [];
  const stretches: { from: number; to: number }[] = [];
  for (const stretch of kept) {
    const last = stretches.at(-1);
    const gap = last === undefined ? 0 : last.to;
    const isGap = stretch.from > gap && !stays.subarray(gap, stretch.from).includes(1);
    const removed = isGap ? words.slice(gap, stretch.from) : [];
    if (last !== undefined && removed.some((word) => isUnder(word, spoken))) {
      overlapped.push(removed.map(({ text }) => text).join(' '));
      last.to = stretch.to;
    } else stretches.push({ ...stretch });
  }
  return { stretches, overlapped };
}

function isUnder({ startSeconds, endSeconds }: TimeRange, spoken: readonly TimeRange[]): boolean {
  let [low, high] = [0, spoken.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spoken[middle] as TimeRange).startSeconds < endSeconds - overlapSeconds) low = middle + 1;
    else high = middle;
  }
  // Words are short: a few before that one may reach as far.
  return spoken.slice(Math.max(0, low - 20), low).some((word) => word.endSeconds > startSeconds + overlapSeconds);
}

/** A new time for each time of the recording: that in the first keep that has it; times of none go to the nearest. */
function newTime(keeps: readonly TimeRange[], index: number, starts: readonly number[], seconds: number): number {
  const { startSeconds, endSeconds } = keeps[index] as TimeRange;
  return (starts[index] as number) + Math.min(Math.max(seconds, startSeconds), endSeconds) - startSeconds;
}

/**
 * The transcript of the output: the words as the edited text writes them, at their new times, in new sentences.
 * @param written in the order of the edited text
 */
export function arrangedTranscript(
  transcript: Transcript,
  written: readonly TranscriptWord[],
  keeps: readonly TimeRange[],
): Transcript {
  const starts: number[] = [];
  let total = 0;
  for (const { startSeconds, endSeconds } of keeps) {
    starts.push(total);
    total += endSeconds - startSeconds;
  }
  let keep = 0;
  let before = 0;
  const words = written.map((word): TranscriptWord => {
    const middle = (word.startSeconds + word.endSeconds) / 2;
    const holds = ({ startSeconds, endSeconds }: TimeRange): boolean => middle >= startSeconds && middle <= endSeconds;
    // A passage may be in the output twice: the search goes on from the word before.
    const from = keep + (middle < before ? 1 : 0);
    before = middle;
    const next = keeps.findIndex((each, at) => at >= from && holds(each));
    const found = next >= 0 ? next : keeps.findIndex(holds);
    if (found >= 0) keep = found;
    return {
      ...word,
      startSeconds: newTime(keeps, keep, starts, word.startSeconds),
      endSeconds: newTime(keeps, keep, starts, word.endSeconds),
    };
  });
  const sentences = splitSentences(words, transcript.language);
  return {
    ...transcript,
    durationSeconds: total,
    sentences: sentences.toSorted((a, b) => a.startSeconds - b.startSeconds),
  };
}

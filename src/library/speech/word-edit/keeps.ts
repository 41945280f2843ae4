// From the words that stay to the stretches of sound that stay.
import type { TimeRange } from '../../core/time-range.ts';
import { type SeamFinder, type SeamSide, shortestSeconds } from './seam.ts';

/** A word with its time in the recording, seconds. */
export interface TimedWord extends TimeRange {
  readonly text: string;
}

/** Words that stay: [from, to) in the order of the transcript. */
export interface KeptWords {
  readonly from: number;
  readonly to: number;
}

export interface Keeps {
  /** Stretches of the recording in the order of the output; none empty. */
  readonly keeps: readonly TimeRange[];
  /** Passages that could not be cut out, since others are spoken at the same time. */
  readonly overlapped: readonly string[];
}

/** Times of words overlap a little also of one voice alone. */
const overlapSeconds = 0.1;

/**
 * Sound before the first word and after the last one stays where it is.
 * @param words in the order of the transcript
 * @param kept in the order of the output; passages may have moved
 * @param durationSeconds length of the recording
 */
export function keepsOfWords(
  words: readonly TimedWord[],
  kept: readonly KeptWords[],
  durationSeconds: number,
  seamBetween: SeamFinder,
): Keeps {
  const stays = new Uint8Array(words.length);
  for (const { from, to } of kept) stays.fill(1, from, to);
  const { stretches, overlapped } = withOverlapped(words, kept, stays);
  const keeps: TimeRange[] = [];
  let startSeconds = 0;
  let last = -1;
  for (const next of [...stretches, { from: words.length, to: words.length }]) {
    const isOn = next.from === last + 1;
    if (!isOn) {
      const isMoved = next.from <= last || stays.subarray(last + 1, next.from).includes(1);
      const [before, after] = [sideAt(words, last, 1, durationSeconds), sideAt(words, next.from, -1, durationSeconds)];
      const seam = seamBetween(before, after, isMoved);
      const isNothing = next.from > last && seam.startSeconds - seam.endSeconds < shortestSeconds;
      if (!isNothing) {
        if (seam.endSeconds > startSeconds) keeps.push({ startSeconds, endSeconds: seam.endSeconds });
        ({ startSeconds } = seam);
      }
    }
    last = next.to - 1;
  }
  if (durationSeconds > startSeconds) keeps.push({ startSeconds, endSeconds: durationSeconds });
  return { keeps, overlapped };
}

/** The word at a seam and its neighbour there; before the first and after the last word are the recording's ends. */
function sideAt(words: readonly TimedWord[], at: number, step: 1 | -1, duration: number): SeamSide {
  const end = at < 0 ? 0 : duration;
  return { stays: words[at] ?? { startSeconds: end, endSeconds: end }, goes: words[at + step] ?? null };
}

/** Keeps removed passages under which kept words are spoken. */
function withOverlapped(
  words: readonly TimedWord[],
  kept: readonly KeptWords[],
  stays: Uint8Array,
): { stretches: KeptWords[]; overlapped: string[] } {
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

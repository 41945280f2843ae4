// Where a recording says what was sought: words by their times, and as much around them as their edges are unsure.
import type { PatternKind } from '../../contract/sought.ts';
import type { TimeRange } from '../../core/time-range.ts';
import type { Transcript, TranscriptWord } from '../../contract/transcript.ts';
import type { Finder } from './sought.ts';

export type PlaceKind = 'word' | PatternKind | 'speaker' | 'range';

/** A stretch that is taken out. */
export interface Place extends TimeRange {
  readonly kind: PlaceKind;
  /** What is said there; '': it is not known. */
  readonly text: string;
  /** false: a number whose check digit does not hold; null: it has none. */
  readonly checked: boolean | null;
}

/** By so much words begin before and end behind their times. */
export interface Guard {
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
}

/** A word of a transcript, with its place in it. */
export interface OrderedWord extends TranscriptWord {
  readonly sentence: number;
  /** Index in its sentence. */
  readonly word: number;
}

/** All words in order of their starts. */
export const orderedWords = ({ sentences }: Transcript): OrderedWord[] =>
  sentences
    .flatMap(({ words }, sentence) => words.map((word, index) => ({ ...word, sentence, word: index })))
    .toSorted((a, b) => a.startSeconds - b.startSeconds);

/** Guards end within a neighbouring word at this share of it: what is beyond is more its than the word's. */
const mostOfNeighbour = 0.5;

/** What the words say of what was sought. */
export function placesIn(
  words: readonly OrderedWord[],
  finder: Finder,
  guard: Guard,
  durationSeconds: number,
): Place[] {
  return finder.find(words).map(({ from, to, kind, checked }) => {
    const said = words.slice(from, to);
    const startSeconds = Math.min(...said.map((word) => word.startSeconds));
    const endSeconds = Math.max(...said.map((word) => word.endSeconds));
    const before = words[from - 1];
    const after = words[to];
    const earliest = before === undefined ? 0 : before.endSeconds - mostOfNeighbour * lengthOf(before);
    const latest = after === undefined ? durationSeconds : after.startSeconds + mostOfNeighbour * lengthOf(after);
    return {
      kind,
      checked,
      text: said.map(({ text }) => text).join(' '),
      startSeconds: Math.max(0, Math.min(startSeconds, Math.max(earliest, startSeconds - guard.beforeSeconds))),
      endSeconds: Math.min(durationSeconds, Math.max(endSeconds, Math.min(latest, endSeconds + guard.afterSeconds))),
    };
  });
}

/**
 * A place that is longer on both sides: by `bySeconds` where no one speaks, and into the words beside it by
 * `intoSeconds` alone.
 * @param words of the recording, in order
 */
export function grown<One extends TimeRange>(
  place: One,
  words: readonly TimeRange[],
  { bySeconds, intoSeconds }: { readonly bySeconds: number; readonly intoSeconds: number },
  durationSeconds: number,
): One {
  const { startSeconds, endSeconds } = place;
  const middle = (word: TimeRange): number => (word.startSeconds + word.endSeconds) / 2;
  const before = words.findLast((word) => middle(word) < startSeconds)?.endSeconds ?? 0;
  const after = words.find((word) => middle(word) > endSeconds)?.startSeconds ?? durationSeconds;
  const start = Math.max(startSeconds - bySeconds, Math.min(startSeconds, before) - intoSeconds);
  const end = Math.min(endSeconds + bySeconds, Math.max(endSeconds, after) + intoSeconds);
  return { ...place, startSeconds: Math.max(0, start), endSeconds: Math.min(durationSeconds, end) };
}

const lengthOf = ({ startSeconds, endSeconds }: TimeRange): number => endSeconds - startSeconds;

/** Everything that some speakers say. */
export function placesOfSpeakers(
  { turns = [] }: Transcript,
  words: readonly OrderedWord[],
  speakers: readonly number[],
  guard: Guard,
  durationSeconds: number,
): Place[] {
  const wanted = new Set(speakers);
  const isWanted = ({ speaker }: { readonly speaker?: number | null | undefined }): boolean =>
    typeof speaker === 'number' && wanted.has(speaker);
  // Words may be outside of turns, and turns without words that were understood.
  return [...turns.filter(isWanted), ...words.filter(isWanted)].map((one) => ({
    kind: 'speaker',
    text: '',
    checked: null,
    startSeconds: Math.max(0, one.startSeconds - guard.beforeSeconds),
    endSeconds: Math.min(durationSeconds, one.endSeconds + guard.afterSeconds),
  }));
}

/** Ranges as they are given, each within the recording. */
export const placesOfRanges = (ranges: readonly (readonly [number, number])[], durationSeconds: number): Place[] =>
  ranges
    .map(([start, end]): Place => ({
      kind: 'range',
      text: '',
      checked: null,
      startSeconds: Math.min(start, end),
      endSeconds: Math.min(durationSeconds, Math.max(start, end)),
    }))
    .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds);

/** Stretches in order, those that touch joined, and those with less than `gapSeconds` between them. */
export function joinedStretches(places: readonly TimeRange[], gapSeconds = 0): TimeRange[] {
  const joined: { startSeconds: number; endSeconds: number }[] = [];
  for (const { startSeconds, endSeconds } of places.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const last = joined.at(-1);
    if (last !== undefined && startSeconds - last.endSeconds <= gapSeconds)
      last.endSeconds = Math.max(last.endSeconds, endSeconds);
    else joined.push({ startSeconds, endSeconds });
  }
  return joined;
}

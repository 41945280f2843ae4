// What stays of a recording after an edit, in frames.
import { keepsOfWords, type TimedWord } from './keeps.ts';
import type { SeamFinder } from './seam.ts';
import { complement, type Span } from './spans.ts';
import type { WordEdit } from './word-edit.ts';

export interface EditedKeeps {
  /** Kept frames of the recording as they are heard, none empty: ascending and not touching where nothing moved. */
  readonly keeps: readonly { readonly start: number; readonly end: number }[];
  /** Passages that stay although they are cut, since others are spoken at the same time. */
  readonly overlapped: readonly string[];
}

/**
 * @param frames length of the recording
 * @param heard the words of sentences in the order in which they are heard. Default: as recorded
 */
export function keepsOfEdit(
  words: readonly TimedWord[],
  { cut, times }: Pick<WordEdit, 'cut' | 'times'>,
  {
    sampleRate,
    frames,
    seamBetween,
    heard = [[0, words.length]],
  }: { sampleRate: number; frames: number; seamBetween: SeamFinder; heard?: readonly Span[] },
): EditedKeeps {
  const kept = heard.flatMap(([first, end]) => complement(cut, first, end).map(([from, to]) => ({ from, to })));
  const { keeps, overlapped } = keepsOfWords(words, kept, frames / sampleRate, seamBetween);
  const left: Span[] = [];
  for (const { startSeconds, endSeconds } of keeps) {
    const [from, to] = [frameAt(startSeconds, sampleRate, frames), frameAt(endSeconds, sampleRate, frames)];
    const last = left.at(-1);
    // Seams are placed one by one: of two that lie very close the earlier may end later.
    if (last !== undefined && from >= last[0] && from <= last[1])
      left[left.length - 1] = [last[0], Math.max(last[1], to)];
    else if (to > from) left.push([from, to]);
  }
  const removed = joined(
    times.map(([from, to]): Span => [frameAt(from, sampleRate, frames), frameAt(to, sampleRate, frames)]),
  );
  const stays = left.flatMap(([from, to]) => complement(removed, from, to));
  return { keeps: stays.map(([start, end]) => ({ start, end })), overlapped };
}

/** Spans in any order as a set. */
function joined(spans: readonly Span[]): readonly Span[] {
  const set: Span[] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = set.at(-1);
    if (last !== undefined && from <= last[1]) set[set.length - 1] = [last[0], Math.max(last[1], to)];
    else if (to > from) set.push([from, to]);
  }
  return set;
}

const frameAt = (seconds: number, sampleRate: number, frames: number): number =>
  Math.min(frames, Math.max(0, Math.round(seconds * sampleRate)));

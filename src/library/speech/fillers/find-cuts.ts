// All cuts for a verbatim transcript, in order of time, with ids that depend only on the recording and the transcript.
import type { TimeRange } from '../../core/time-range.ts';
import { throwIfAborted } from '../../core/abort.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { cutEdges, type CutPlace } from './cut-edges.ts';
import { isInvented, pausesAround, wholeSound } from './held-sound.ts';
import { type MarkableWord, type MarkKind, markWords } from './mark-words.ts';
import { isClaimed } from './is-claimed.ts';
import { fillersInGap } from './voiced-gaps.ts';

/** Why: a filler of the transcript, one found only in the waveform, repeated words, or a broken-off one. */
export type CutKind = MarkKind | 'unwritten_filler';

export interface FillerCut extends TimeRange {
  /** "c1", "c2", ... in order of time, for all kinds together. */
  readonly id: string;
  readonly kind: CutKind;
  /** The text that is cut, as in the transcript; '' if it is not in the transcript. */
  readonly text: string;
  /** Indices of the cut words: from `fromWord` to `toWord`, exclusive. */
  readonly fromWord: number;
  readonly toWord: number;
}

export interface FindCutsOptions {
  readonly language: string;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  onProgress(fraction: number): void;
}

/** The event loop runs after this many cuts. */
const cutsPerTurn = 16;

/** @param words of a verbatim transcript, in order of their start */
export async function findCuts(
  sound: SpeechSound,
  words: readonly MarkableWord[],
  { language, signal, onProgress }: FindCutsOptions,
): Promise<FillerCut[]> {
  const marks = markWords(words, language);
  markInvented(sound, words, marks);
  const ends = latestEnds(words, marks);
  const found: Omit<FillerCut, 'id'>[] = [];
  let looked = 0;
  for (let at = 0; at < words.length; at++) {
    if ((looked += 1) % cutsPerTurn === 0) {
      onProgress(at / words.length);
      await new Promise(setImmediate);
      throwIfAborted(signal);
    }
    const kind = marks[at] ?? null;
    if (kind === null) {
      found.push(...unwritten(sound, words, at, ends));
      continue;
    }
    let to = at + 1;
    while (marks[to] === kind && words[to]!.startSeconds - words[to - 1]!.endSeconds < joinSeconds) to += 1;
    const cut = cutOf(sound, words, marks, at, to, ends, kind);
    if (cut) found.push({ ...cut, kind, text: textOf(words, at, to), fromWord: at, toWord: to });
    at = to - 1;
  }
  onProgress(1);
  const kept = words.filter((_, at) => (marks[at] ?? null) === null);
  const free = found.filter((cut) => !isClaimed(cut, kept));
  return withoutOverlaps(free.toSorted((a, b) => a.startSeconds - b.startSeconds)).map((cut, index) => ({
    id: `c${index + 1}`,
    ...cut,
  }));
}

/** Fillers in a row are one cut, unless there is this much time between them. */
const joinSeconds = 0.4;

/** By index: the end of the last kept word that starts before the word of that index. */
function latestEnds(words: readonly MarkableWord[], marks: readonly (MarkKind | null)[]): Float64Array {
  const ends = new Float64Array(words.length + 1);
  for (const [index, word] of words.entries())
    ends[index + 1] = marks[index] === null ? Math.max(ends[index]!, word.endSeconds) : ends[index]!;
  return ends;
}

function cutOf(
  sound: SpeechSound,
  words: readonly MarkableWord[],
  marks: readonly (MarkKind | null)[],
  from: number,
  to: number,
  ends: Float64Array,
  kind: MarkKind,
): TimeRange | null {
  const first = words[from]!;
  const last = words[to - 1]!;
  let beforeAt = from - 1;
  while (beforeAt >= 0 && marks[beforeAt] !== null) beforeAt -= 1;
  let afterAt = to;
  while (afterAt < words.length && marks[afterAt] !== null) afterAt += 1;
  const before = words[beforeAt] ?? null;
  const after = words[afterAt] ?? null;
  const length = last.endSeconds - first.startSeconds;
  // More overlap with another speaker, and the cut would remove their words, too.
  const isOver =
    ends[from]! - first.startSeconds > length / 3 ||
    (after !== null && last.endSeconds - after.startSeconds > length / 3);
  if (isOver || length <= 0) return null;
  const written = { startSeconds: first.startSeconds, endSeconds: last.endSeconds };
  const place = kind === 'filler' ? soundOf(sound, written, before, after, ends[from]!) : written;
  return cutEdges(sound, {
    ...place,
    isWords: kind !== 'filler',
    before: before && { startSeconds: before.startSeconds, endSeconds: Math.max(before.endSeconds, ends[from]!) },
    after,
  });
}

/** Times of words are rarely wrong by more. */
const reachSeconds = 0.25;

/** A filler as it sounds: up to a pause before the next word, else as far as its sound continues. */
function soundOf(
  sound: SpeechSound,
  written: TimeRange,
  before: TimeRange | null,
  after: TimeRange | null,
  beforeEnds: number,
): Pick<CutPlace, 'startSeconds' | 'endSeconds' | 'sounds'> {
  const sounds = pausesAround(sound, written, {
    startSeconds: beforeEnds,
    endSeconds: after?.startSeconds ?? sound.durationSeconds,
  });
  const paused = {
    startSeconds: sounds.startSeconds ?? written.startSeconds,
    endSeconds: sounds.endSeconds ?? written.endSeconds,
  };
  return { ...wholeSound(sound, paused, reachOf(paused, before, after)), sounds };
}

/** Limits of a filler: the middles of the neighbouring words. */
const reachOf = (written: TimeRange, before: TimeRange | null, after: TimeRange | null): TimeRange => ({
  startSeconds: Math.max(
    0,
    written.startSeconds - reachSeconds,
    before === null ? 0 : (before.startSeconds + before.endSeconds) / 2,
  ),
  endSeconds: Math.min(
    written.endSeconds + reachSeconds,
    after === null ? Number.POSITIVE_INFINITY : (after.startSeconds + after.endSeconds) / 2,
  ),
});

/** Marks words that a recogniser invented in the sound of a filler. */
function markInvented(sound: SpeechSound, words: readonly MarkableWord[], marks: (MarkKind | null)[]): void {
  // Only next to written fillers: an invented word proves nothing about its neighbour.
  const written = marks.slice();
  for (const [at, mark] of written.entries()) {
    if (mark !== 'filler') continue;
    for (const beside of [at - 1, at + 1]) {
      const word = words[beside];
      if (word !== undefined && marks[beside] === null && isInvented(sound, words[at]!, word)) marks[beside] = 'filler';
    }
  }
}

/** Sounds like a filler between a kept word and the next word, kept or not. */
function unwritten(
  sound: SpeechSound,
  words: readonly MarkableWord[],
  at: number,
  ends: Float64Array,
): Omit<FillerCut, 'id'>[] {
  const startSeconds = ends[at + 1]!;
  const next = words[at + 1];
  const gapEnd = next?.startSeconds ?? sound.durationSeconds;
  return fillersInGap(sound, { startSeconds, endSeconds: Math.min(gapEnd, startSeconds + longestGapSeconds) }).flatMap(
    (stretch) => {
      const cut = cutEdges(sound, { ...stretch, before: words[at]!, after: next ?? null });
      return cut ? [{ ...cut, kind: 'unwritten_filler' as const, text: '', fromWord: at + 1, toWord: at + 1 }] : [];
    },
  );
}

/** In longer gaps the speaker has left, or music plays. */
const longestGapSeconds = 6;

function textOf(words: readonly MarkableWord[], from: number, to: number): string {
  return words
    .slice(from, to)
    .map(({ text }) => text)
    .join(' ');
}

/** Touching cuts share their edge: each can be made without the other. */
function withoutOverlaps(cuts: readonly Omit<FillerCut, 'id'>[]): Omit<FillerCut, 'id'>[] {
  const apart: Omit<FillerCut, 'id'>[] = [];
  for (const cut of cuts) {
    const last = apart.at(-1);
    const startSeconds = Math.max(cut.startSeconds, last?.endSeconds ?? 0);
    if (cut.endSeconds > startSeconds) apart.push({ ...cut, startSeconds });
  }
  return apart;
}

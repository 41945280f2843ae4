// Texts without what was taken out: transcripts, captions, and the words in tags and titles of chapters.
import { joinWords } from '../../contract/join-words.ts';
import type { Transcript, TranscriptSentence, TranscriptWord } from '../../contract/transcript.ts';
import type { TimeRange } from '../../core/time-range.ts';
import type { Finder } from './sought.ts';
import type { Said } from './tokens.ts';

/** What is written in place of words. */
export const blank = '[redacted]';

/** Marks behind a word stay, so that sentences end. */
const marksBehind = /(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u;

const blankFor = (last: string): string =>
  `${blank}${(marksBehind.exec(last)?.[0] ?? '').replaceAll(/["'@#*/\\-]/g, '')}`;

/** @returns null: nothing that was sought is in the text */
export function blankText(text: string, finder: Finder): string | null {
  // What is between words stays as it is: line ends of lyrics, spaces of captions.
  const pieces = text.split(/(\s+)/u);
  const words: (Said & { readonly piece: number })[] = pieces.flatMap((piece, index) =>
    index % 2 === 0 && piece !== '' ? [{ text: piece, piece: index }] : [],
  );
  const hits = finder.find(words);
  if (hits.length === 0) return null;
  for (const { from, to } of hits) {
    const first = words[from]?.piece ?? 0;
    const last = words[to - 1]?.piece ?? first;
    pieces[first] = blankFor(pieces[last] ?? '');
    for (let piece = first + 1; piece <= last; piece += 1) pieces[piece] = '';
  }
  return pieces.join('');
}

/** Less of a word is not what was taken out: edges are unsure by so much. */
const leastShare = 0.5;

const isTaken = (word: TimeRange, taken: readonly TimeRange[]): boolean => {
  const length = word.endSeconds - word.startSeconds;
  const lost = taken.reduce(
    (sum, { startSeconds, endSeconds }) =>
      sum + Math.max(0, Math.min(endSeconds, word.endSeconds) - Math.max(startSeconds, word.startSeconds)),
    0,
  );
  return length <= 0
    ? taken.some((range) => word.startSeconds >= range.startSeconds && word.startSeconds < range.endSeconds)
    : lost >= leastShare * length;
};

/** Of taken stretches in order, those that a stretch touches. */
function near(range: TimeRange, taken: readonly TimeRange[]): readonly TimeRange[] {
  let low = 0;
  let high = taken.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((taken[middle] as TimeRange).endSeconds < range.startSeconds) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < taken.length && (taken[end] as TimeRange).startSeconds <= range.endSeconds) end += 1;
  return taken.slice(low, end);
}

export interface BlankedTranscript {
  readonly transcript: Transcript;
  /** How many words are no longer in it. */
  readonly words: number;
}

/**
 * @param taken stretches of which nothing is heard any more, in order, apart
 * @param kept stretches in which everything stays, in order, apart
 * @param finder finds what is to be taken by its text, wherever it is
 */
export function blankTranscript(
  transcript: Transcript,
  taken: readonly TimeRange[],
  kept: readonly TimeRange[],
  finder: Finder,
): BlankedTranscript {
  let words = 0;
  const sentences = transcript.sentences.map((sentence): TranscriptSentence => {
    const around = near(sentence, taken);
    const gone = new Set(sentence.words.flatMap((word, index) => (isTaken(word, around) ? [index] : [])));
    for (const { from, to } of finder.find(sentence.words))
      for (let at = from; at < to; at += 1) {
        const word = sentence.words[at] as TranscriptWord;
        if (!isTaken(word, near(word, kept))) gone.add(at);
      }
    if (sentence.words.length === 0 && around.some((range) => covers(range, sentence)))
      return { ...sentence, text: blank };
    if (gone.size === 0) {
      if (near(sentence, kept).length > 0) return sentence;
      const text = blankText(sentence.text, finder);
      return text === null ? sentence : { ...sentence, text };
    }
    words += gone.size;
    const rest = blankedWords(sentence.words, gone);
    return { ...sentence, words: rest, text: joinWords(rest, sentence.language ?? transcript.language) };
  });
  const { names } = transcript;
  return {
    transcript: {
      ...transcript,
      ...(names && {
        names: Object.fromEntries(Object.entries(names).map(([at, name]) => [at, blankText(name, finder) ?? name])),
      }),
      sentences,
    },
    words,
  };
}

const covers = (outer: TimeRange, inner: TimeRange): boolean =>
  outer.startSeconds <= inner.startSeconds && outer.endSeconds >= inner.endSeconds;

/** Words in a row become one, which says nothing of how many they were. */
function blankedWords(words: readonly TranscriptWord[], gone: ReadonlySet<number>): TranscriptWord[] {
  const left: TranscriptWord[] = [];
  for (const [at, word] of words.entries()) {
    if (!gone.has(at)) {
      left.push(word);
      continue;
    }
    const last = left.at(-1);
    const joins = gone.has(at - 1) && last !== undefined;
    const { startSeconds } = joins ? last : word;
    const whole: TranscriptWord = {
      text: blankFor(word.text),
      startSeconds,
      endSeconds: Math.max(word.endSeconds, joins ? last.endSeconds : 0),
      ...(word.speaker === undefined ? {} : { speaker: word.speaker }),
    };
    if (joins) left[left.length - 1] = whole;
    else left.push(whole);
  }
  return left;
}

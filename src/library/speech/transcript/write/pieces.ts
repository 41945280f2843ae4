// The parts of captions: the words of a transcript, and where breaks between them read well.
import type { Transcript, TranscriptSentence } from '../../../contract/transcript.ts';
import { isSpaced, unspacedLetter } from '../../../contract/join-words.ts';
import type { CaptionsByHand, NumberedWord } from './by-hand.ts';
import { type CaptionLimits, cellsOf } from './limits.ts';
import { heardSentences } from './heard-sentences.ts';
import { weakWords } from './weak-words.ts';

/** A word, or a part of one that is longer than a line. */
export interface CaptionPiece {
  readonly text: string;
  readonly cells: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** A space goes before it, unless it starts a line. */
  readonly spaced: boolean;
  /** Cost of a break after it, 0 to 1. */
  readonly breakCost: number;
  /** It ends a sentence. */
  readonly endsSentence: boolean;
  /** Of its word, in the transcript that is edited. */
  readonly number?: number;
  /** By hand: 1: a caption begins with it; 0: it goes on. */
  readonly begins?: 0 | 1;
}

/** Consecutive pieces of one speaker; captions do not cross from one run to another. */
export interface CaptionRun {
  readonly speaker: number | null;
  readonly pieces: readonly CaptionPiece[];
}

/** A caption over a longer silence would be shown while nothing is spoken. */
const runPauseSeconds = 1.5;
const clauseEnd = /[,;:\u2013\u2014\u060C\u3001\uFF0C\uFF1B\uFF1A.!?\u2026]["'\u2019\u201D)\]]*$/u;
/** In Japanese a phrase ends with its particles, in Hiragana, and the next begins with another letter. */
const inPhrase = /^\p{Script=Hiragana}/u;
const phraseEnd = /\p{Script=Hiragana}$/u;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

export function captionRuns(transcript: Transcript, limits: CaptionLimits, byHand?: CaptionsByHand): CaptionRun[] {
  const { language } = transcript;
  const runs: { speaker: number | null; pieces: CaptionPiece[] }[] = [];
  for (const sentence of heardSentences(transcript)) {
    const pieces = piecesOf(sentence, language, limits, byHand);
    let run = runs.at(-1);
    for (const piece of pieces) {
      const pause = piece.startSeconds - (run?.pieces.at(-1)?.endSeconds ?? 0);
      // Back in time: another speaker's sentence came between.
      if (!run || run.speaker !== sentence.speaker || pause > runPauseSeconds || pause < -runPauseSeconds) {
        run = { speaker: sentence.speaker, pieces: [] };
        runs.push(run);
      }
      run.pieces.push(piece);
    }
  }
  return runs;
}

function piecesOf(
  sentence: TranscriptSentence,
  language: string,
  limits: CaptionLimits,
  byHand?: CaptionsByHand,
): CaptionPiece[] {
  const words = wholeWords(wordsOf(sentence), language, limits);
  const weak = weakWords(language);
  return words.flatMap((word, index) => {
    const after = words[index + 1];
    const pause = after === undefined ? Number.POSITIVE_INFINITY : after.startSeconds - word.endSeconds;
    const text = cleanText(word.text);
    const breakCost =
      after === undefined
        ? 0
        : clauseEnd.test(text)
          ? 0.2
          : weak.has(text.toLowerCase()) || inPhrase.test(after.text)
            ? 1
            : pause > 0.3 || phraseEnd.test(text)
              ? 0.3
              : 0.7;
    const { number } = word;
    // Of several words in the place of one, the first has its number.
    const isFirst = number !== undefined && words[index - 1]?.number !== number;
    const begins = isFirst ? byHand?.breaks[number] : undefined;
    const spaced = index === 0 || isSpaced(words[index - 1]!.text, word.text, language);
    return cut({ text, startSeconds: word.startSeconds, endSeconds: word.endSeconds }, language, limits).map(
      (part, at, parts): CaptionPiece => ({
        ...part,
        spaced: at === 0 && spaced,
        breakCost: at + 1 < parts.length ? 1 : breakCost,
        endsSentence: after === undefined && at + 1 === parts.length,
        ...(at === 0 && isFirst ? { number } : {}),
        ...(at === 0 && begins !== undefined ? { begins } : {}),
      }),
    );
  });
}

/** Without line ends and text that readers of captions would take for times. */
const cleanText = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replaceAll('-->', '->');

/** Marks that no line begins with, and those that no line ends with. */
const closing = /^[\p{Pe}\p{Pf}\p{Po}\u30FC\u301C\uFF5E]/u;
const opening = /[\p{Ps}\p{Pi}]$/u;

/** Words of a text without spaces, each with the marks at its ends (Unicode segmentation). */
function segmented(text: string, language: string): string[] {
  const words: string[] = [];
  for (const { segment } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    const last = words.at(-1);
    if (last !== undefined && (closing.test(segment) || opening.test(last))) words[words.length - 1] = last + segment;
    else words.push(segment);
  }
  return words;
}

/**
 * Joins the parts of words in texts without spaces: recognisers give syllables and single ideographs. Captions and
 * lines then break between words.
 */
function wholeWords<Word extends TimedText & Pick<NumberedWord, 'number'>>(
  words: readonly Word[],
  language: string,
  limits: CaptionLimits,
): Word[] {
  if (language === 'ko' || !words.some(({ text }) => unspacedLetter.test(text))) return [...words];
  const texts = words.map(({ text }) => cleanText(text));
  const ends = new Set<number>();
  let length = 0;
  for (const word of segmented(texts.join(''), language)) ends.add((length += word.length));
  const whole: Word[] = [];
  let at = 0;
  for (const [index, word] of words.entries()) {
    const text = texts[index] as string;
    const last = whole.at(-1);
    const joined = last && !ends.has(at) && !isSpaced(last.text, text, language) ? last.text + text : null;
    if (last && joined !== null && cellsOf(joined, limits) <= limits.lineCells)
      whole[whole.length - 1] = { ...last, text: joined, endSeconds: Math.max(last.endSeconds, word.endSeconds) };
    else whole.push({ ...word, text });
    at += text.length;
  }
  return whole;
}

/** Untimed words of a sentence are spread over its time; words that were not found are no captions. */
function wordsOf(
  sentence: TranscriptSentence,
): readonly Pick<NumberedWord, 'text' | 'startSeconds' | 'endSeconds' | 'number'>[] {
  const words = (sentence.words as readonly NumberedWord[]).filter(
    ({ text, matched }) => cleanText(text) !== '' && matched !== false,
  );
  if (words.length > 0 || sentence.words.some(({ matched }) => matched === false)) return words;
  const texts = cleanText(sentence.text)
    .split(' ')
    .filter((text) => text !== '');
  const each = (sentence.endSeconds - sentence.startSeconds) / Math.max(1, texts.length);
  return texts.map((text, index) => ({
    text,
    startSeconds: sentence.startSeconds + index * each,
    endSeconds: sentence.startSeconds + (index + 1) * each,
  }));
}

type TimedText = Pick<CaptionPiece, 'text' | 'startSeconds' | 'endSeconds'>;

/** What a word that is longer than a line may be cut into. */
function cuttable(text: string, language: string, limits: CaptionLimits): string[] {
  const whole = unspacedLetter.test(text) ? segmented(text, language) : [text];
  return whole.flatMap((part) =>
    cellsOf(part, limits) <= limits.lineCells ? [part] : Array.from(graphemes.segment(part), ({ segment }) => segment),
  );
}

/** Parts that fit on a line, with their share of the time. */
function cut(word: TimedText, language: string, limits: CaptionLimits): (TimedText & Pick<CaptionPiece, 'cells'>)[] {
  const cells = cellsOf(word.text, limits);
  if (cells <= limits.lineCells) return [{ ...word, cells }];
  const parts: { text: string; cells: number }[] = [];
  for (const segment of cuttable(word.text, language, limits)) {
    const wide = cellsOf(segment, limits);
    const last = parts.at(-1);
    if (last && last.cells + wide <= limits.lineCells) {
      last.text += segment;
      last.cells += wide;
    } else parts.push({ text: segment, cells: wide });
  }
  let before = 0;
  const at = (done: number): number =>
    word.startSeconds + ((word.endSeconds - word.startSeconds) * done) / Math.max(cells, 1e-9);
  return parts.map((part) => {
    const startSeconds = at(before);
    before += part.cells;
    return { ...part, startSeconds, endSeconds: at(Math.min(before, cells)) };
  });
}

// In scripts without spaces recognisers output single characters: 行 き ま す. ICU's dictionary joins them to words.
import type { SpokenWord } from '../../spoken-word.ts';
import { unspacedLetter } from '../../../contract/join-words.ts';

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(language: string): Intl.Segmenter {
  const known = segmenters.get(language);
  if (known) return known;
  const made = new Intl.Segmenter(language, { granularity: 'word' });
  segmenters.set(language, made);
  return made;
}

/** Words are never spoken this slowly. */
const pauseSeconds = 0.3;
const marksOnly = /^[\p{P}\p{S}]+$/u;

/**
 * Joins the parts of a word, with their combined time and their lowest confidence; punctuation joins the previous word.
 * Words are never divided; other scripts are unchanged.
 * @param language ISO 639 code
 */
export function joinParts(words: readonly SpokenWord[], language: string): SpokenWord[] {
  if (language === 'ko' || !words.some(({ text }) => unspacedLetter.test(text))) return [...words];
  const begins = wordBegins(words.map(({ text }) => text).join(''), language);
  const joined: SpokenWord[] = [];
  let offset = 0;
  for (const word of words) {
    const last = joined.at(-1);
    const touches =
      last !== undefined &&
      unspacedLetter.test(last.text.at(-1) ?? '') &&
      (unspacedLetter.test(word.text) || marksOnly.test(word.text)) &&
      word.startSeconds - last.endSeconds < pauseSeconds;
    if (last !== undefined && touches && (!begins.has(offset) || marksOnly.test(word.text)))
      joined[joined.length - 1] = together(last, word);
    else joined.push(word);
    offset += word.text.length;
  }
  return joined;
}

function wordBegins(text: string, language: string): ReadonlySet<number> {
  const begins = new Set<number>();
  for (const { index } of segmenterOf(language).segment(text)) begins.add(index);
  return begins;
}

function together(first: SpokenWord, second: SpokenWord): SpokenWord {
  const confidences = [first.confidence, second.confidence].filter((one) => one !== undefined);
  return {
    ...first,
    text: first.text + second.text,
    endSeconds: Math.max(first.endSeconds, second.endSeconds),
    ...(confidences.length === 0 ? {} : { confidence: Math.min(...confidences) }),
  };
}

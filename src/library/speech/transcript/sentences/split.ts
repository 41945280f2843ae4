// Makes sentences from words as they arrive. The result depends only on the words, not on how many arrive at a time, so
// that a transcript shown in progress equals the final one.
import type { TranscriptSentence, TranscriptWord } from '../../../contract/transcript.ts';
import { joinWords } from '../../../contract/join-words.ts';
import { endsSentence } from './sentence-end.ts';
import { splitLong } from './long.ts';
import { majoritySpeaker, splitBySpeaker } from './speakers.ts';

export interface SentenceSplitter {
  /** @returns sentences that these words completed */
  push(words: readonly SplittableWord[]): TranscriptSentence[];
  /** The rest, after the last word. */
  finish(): TranscriptSentence[];
}

/** A word, with its language where it is not the recording's. */
export type SplittableWord = TranscriptWord & { readonly language?: string };

/** After this many words without an end, they are divided. Also limits memory. */
const mostWords = 400;

/** @param language ISO 639 code */
export function sentenceSplitter(language: string): SentenceSplitter {
  let waiting: SplittableWord[] = [];
  const take = (): TranscriptSentence[] => {
    if (waiting.length === 0) return [];
    const words = waiting;
    waiting = [];
    const other = words[0]?.language;
    return splitBySpeaker(words.map(withoutLanguage))
      .flatMap((part) => splitLong(part))
      .map((part) => ({ ...sentenceOf(part, other ?? language), ...(other === undefined ? {} : { language: other }) }));
  };
  /** A language that changes ends a sentence, too. */
  const isBetween = (last: SplittableWord, word: SplittableWord): boolean =>
    last.language !== word.language || endsSentence(last, word, word.language ?? language);
  return {
    push(words) {
      const finished: TranscriptSentence[] = [];
      for (const word of words) {
        const last = waiting.at(-1);
        if (last && (waiting.length >= mostWords || isBetween(last, word))) finished.push(...take());
        waiting.push(word);
      }
      return finished;
    },
    finish: take,
  };
}

function withoutLanguage(word: SplittableWord): TranscriptWord {
  const { language, ...rest } = word;
  return language === undefined ? word : rest;
}

/** The sentences of all words of a recording, in order of their start. */
export function splitSentences(words: readonly TranscriptWord[], language: string): TranscriptSentence[] {
  const splitter = sentenceSplitter(language);
  return [...splitter.push(words), ...splitter.finish()];
}

/** @param words at least one */
function sentenceOf(words: readonly TranscriptWord[], language: string): TranscriptSentence {
  return {
    startSeconds: words.reduce((least, { startSeconds }) => Math.min(least, startSeconds), Number.POSITIVE_INFINITY),
    endSeconds: words.reduce((most, { endSeconds }) => Math.max(most, endSeconds), 0),
    text: joinWords(words, language),
    speaker: majoritySpeaker(words),
    words: [...words],
  };
}

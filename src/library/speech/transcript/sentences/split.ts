// Sentences out of words as they come. What is said to be finished depends on the words alone, not on how many come at
// a time, so that a transcript that is shown while it is made is the one that is written at the end.
import type { TranscriptSentence, TranscriptWord } from '../../../contract/transcript.ts';
import { joinWords } from '../join-words.ts';
import { endsSentence } from './sentence-end.ts';
import { splitLong } from './long.ts';
import { majoritySpeaker, splitBySpeaker } from './speakers.ts';

export interface SentenceSplitter {
  /** @returns sentences that these words finished */
  push(words: readonly TranscriptWord[]): TranscriptSentence[];
  /** The rest, once there are no more words. */
  finish(): TranscriptSentence[];
}

/** So many words without an end are given up on: divided, and what is left goes on. Bounds the memory, too. */
const mostWords = 400;

/** @param language ISO 639 code */
export function sentenceSplitter(language: string): SentenceSplitter {
  let waiting: TranscriptWord[] = [];
  const take = (): TranscriptSentence[] => {
    if (waiting.length === 0) return [];
    const words = waiting;
    waiting = [];
    return splitBySpeaker(words)
      .flatMap((part) => splitLong(part))
      .map((part) => sentenceOf(part, language));
  };
  return {
    push(words) {
      const finished: TranscriptSentence[] = [];
      for (const word of words) {
        const last = waiting.at(-1);
        if (last && (waiting.length >= mostWords || endsSentence(last, word, language))) finished.push(...take());
        waiting.push(word);
      }
      return finished;
    },
    finish: take,
  };
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

// Divides sentences that are too long to read where the speaker paused, preferably after a comma: recognisers sometimes
// leave out all full stops.
import type { TranscriptWord } from '../../../contract/transcript.ts';
import { unspacedLetter } from '../../../contract/join-words.ts';

const mostSeconds = 30;
/** An ideograph counts as two and a half letters. */
const mostLetters = 300;
const clauseEnd = /[,;:\u2013\u2014\u060C\u3001\uFF0C\uFF1B\uFF1A]["'\u2019\u201D)\]]*$/u;

const everyUnspaced = new RegExp(unspacedLetter.source, 'gu');
const lettersOf = (word: TranscriptWord): number =>
  word.text.length + 1.5 * (word.text.match(everyUnspaced)?.length ?? 0);

/** The words in parts of at most 30 s and 300 letters, as far as single words allow it. */
export function splitLong(words: readonly TranscriptWord[]): (readonly TranscriptWord[])[] {
  const letters = words.reduce((sum, word) => sum + lettersOf(word) + 1, 0);
  const seconds = words.at(-1)!.endSeconds - words[0]!.startSeconds;
  if (words.length < 2 || (seconds <= mostSeconds && letters <= mostLetters)) return [words];
  const at = bestPlace(words, letters);
  return [...splitLong(words.slice(0, at)), ...splitLong(words.slice(at))];
}

/** Index of the first word of the second part. */
function bestPlace(words: readonly TranscriptWord[], letters: number): number {
  let best = 1;
  let bestScore = Number.NEGATIVE_INFINITY;
  let before = 0;
  for (let at = 1; at < words.length; at++) {
    const last = words[at - 1]!;
    before += lettersOf(last) + 1;
    const pause = Math.max(0, words[at]!.startSeconds - last.endSeconds);
    // Thirds are as good as halves; a few words at an edge are not a sentence.
    const lopsided = Math.max(0, 1 / 3 - Math.min(before, letters - before) / letters);
    const score = Math.min(pause, 2) + (clauseEnd.test(last.text) ? 0.4 : 0) - 3 * lopsided;
    if (score > bestScore) [best, bestScore] = [at, score];
  }
  return best;
}

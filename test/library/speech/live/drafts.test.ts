import { expect, it } from 'vitest';
import type { Transcript } from '../../../../src/library/contract/transcript.ts';
import { finalWords } from '../../../../src/library/speech/live/drafts.ts';

/** A word each half second, in sentences that end where the text says so. */
function read(text: string): Pick<Transcript, 'sentences'> {
  let at = 0;
  const sentences = text.split(' | ').map((sentence) => {
    const words = sentence.split(' ').map((word) => {
      const startSeconds = at;
      at += 0.5;
      return { text: word, startSeconds, endSeconds: startSeconds + 0.4, confidence: 1, filler: false };
    });
    return { words, text: sentence, startSeconds: words[0]?.startSeconds ?? 0, endSeconds: at - 0.1, speaker: null };
  });
  return { sentences };
}

it('a sentence is final when enough was said behind it', () => {
  expect(finalWords(read('One two. | Three four five'), 2.6)).toEqual({ count: 2, endSeconds: 0.95 });
  // Its end may be a guess: too little sound, or too few words.
  expect(finalWords(read('One two. | Three four five'), 2)).toBeNull();
  expect(finalWords(read('One two. | Three'), 9)).toBeNull();
  expect(finalWords(read('One two three four'), 9)).toBeNull();
  expect(finalWords(read(''), 9)).toBeNull();
});

it('all sentences are, up to the last one that is', () => {
  const found = finalWords(read('One. | Two three? | Four five six seven. | Eight nine'), 4.9);
  expect(found).toEqual({ count: 7, endSeconds: 3.45 });
  // A sentence that ends at a long pause without a sign goes on.
  expect(finalWords(read('One. | Two three | Four five six seven'), 4)).toEqual({ count: 1, endSeconds: 0.45 });
});

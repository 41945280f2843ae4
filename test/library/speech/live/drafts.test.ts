import { expect, it } from 'vitest';
import type { TranscriptWord } from '../../../../src/library/contract/transcript.ts';
import { finalWords } from '../../../../src/library/speech/live/drafts.ts';

/** A word each half second, in sentences that end where the text says so. */
function read(text: string): TranscriptWord[][] {
  let at = 0;
  return text.split(' | ').map((sentence) =>
    sentence.split(' ').map((word) => {
      const startSeconds = at;
      at += 0.5;
      return { text: word, startSeconds, endSeconds: startSeconds + 0.4, confidence: 1, filler: false };
    }),
  );
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

it('sentences that were told before are passed over', () => {
  expect(finalWords([[], ...read('One two. | Three four five')], 2.6)).toEqual({ count: 2, endSeconds: 0.95 });
});

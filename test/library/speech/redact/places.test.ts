// Stretches that are taken out, and the words beside them.
import { expect, it } from 'vitest';
import { grown } from '../../../../src/library/speech/redact/places.ts';

const word = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds });

it('a place grows into a pause by all, and into the words beside it by little', () => {
  const words = [word(0, 1), word(1.05, 1.5), word(1.5, 2), word(3, 3.5)];
  const by = { bySeconds: 0.06, intoSeconds: 0.02 };
  // The guard of the first is in a pause and in a word; of the second in a word and in a long pause.
  expect(grown(word(1.04, 1.51), words, by, 4)).toEqual(word(expect.closeTo(0.98), expect.closeTo(1.53)));
  expect(grown(word(1.48, 2.02), words, by, 4)).toEqual(word(expect.closeTo(1.46), expect.closeTo(2.08)));
  // Nothing is before the first and behind the last.
  expect(grown(word(0, 1), words, by, 4)).toEqual(word(0, expect.closeTo(1.06)));
  expect(grown(word(2.98, 3.98), words, by, 4)).toEqual(word(expect.closeTo(2.92), 4));
});

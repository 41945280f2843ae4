import { expect, it } from 'vitest';
import { pairWords } from '../../../../src/library/speech/align/anchors/pairs.ts';

const placesOf = (script: string, heard: string): number[] =>
  pairWords(script.split(' '), heard.split(' ')).flatMap(({ left, similarity }) => (similarity === 1 ? [left] : []));

it('a phrase is paired where its words follow each other, not where the same words come here and there', () => {
  const phrase = 'and that should be all thanks';
  const others = "this speech there's be this talking all slow fast the this thanks going";
  expect(placesOf(`${phrase} ${others}`, phrase)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(placesOf(`${others} ${phrase}`, phrase)).toEqual([13, 14, 15, 16, 17, 18]);
});

it('more words in common count for more than words that follow each other', () => {
  expect(placesOf('one two and a three and a four', 'one two three four')).toEqual([0, 1, 4, 7]);
});

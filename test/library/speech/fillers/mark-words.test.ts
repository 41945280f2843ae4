import { describe, expect, it, test } from 'vitest';
import { fillerLanguages } from '../../../../src/library/contract/filler-languages.ts';
import { dropWords } from '../../../../src/library/speech/fillers/drop-words.ts';
import { fillersOf } from '../../../../src/library/speech/fillers/filler-lists.ts';
import { markWords } from '../../../../src/library/speech/fillers/mark-words.ts';
import { cleaned, saidAndLeft } from '../../../fixtures/said-and-left.ts';
import { spoken } from '../transcript/spoken.ts';

describe('what nobody would miss', () => {
  it.each(saidAndLeft)('%s: %s', (language, said, left) => expect(cleaned(said, language)).toBe(left));
});

test('every language of the interface has a list, and no list takes a number for a filler', () => {
  for (const language of fillerLanguages) {
    const fillers = fillersOf(language)!;
    for (const word of ['1', 'a1', '']) expect(fillers.isAlways(word) || fillers.isWhenSetApart(word)).toBe(false);
    expect(fillers.doubled.size).toBeGreaterThan(5);
  }
  expect(fillersOf('sv')).toBeNull();
});

test('words that stay keep their times', () => {
  const words = spoken('Um, so I, uh, went.');
  const marks = markWords(words, 'en');
  const left = dropWords(words, (index) => marks[index] !== null);
  expect(left).toEqual([{ ...words[1], text: 'So' }, { ...words[2], text: 'I' }, words[4]]);
});

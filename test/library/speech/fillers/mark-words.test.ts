import { describe, expect, it, test } from 'vitest';
import { fillerLanguages } from '../../../../src/library/contract/filler-languages.ts';
import { dropWords } from '../../../../src/library/speech/fillers/drop-words.ts';
import { fillersOf } from '../../../../src/library/speech/fillers/filler-lists.ts';
import { markWords } from '../../../../src/library/speech/fillers/mark-words.ts';
import { joinWords } from '../../../../src/library/speech/transcript/join-words.ts';
import { spoken } from '../transcript/spoken.ts';

/** What is left of the text. */
function cleaned(text: string, language: string): string {
  const words = spoken(text).map((word) => ({ ...word, endSeconds: word.startSeconds + 0.28 }));
  const marks = markWords(words, language);
  return joinWords(
    dropWords(words, (index) => marks[index] !== null),
    language,
  );
}

const cases: readonly (readonly [language: string, said: string, left: string])[] = [
  // Fillers, as recognisers write them.
  ['en', 'Um, so I, uh, went Uhh home, um. Hmm. (0.3) Erm... okay?', 'So I went home. Okay?'],
  [
    'en',
    'Uh-huh, that is it. Uh oh. Hm? Mm-hmm. He is 5 mm tall. The HMM works. To err is human.',
    'Uh-huh, that is it. Uh oh. Hm? Mm-hmm. He is 5 mm tall. The HMM works. To err is human.',
  ],
  [
    'de',
    'Ähm, er kommt um die Ecke, um, äh, zu bleiben. Er, der Chef, eh nicht.',
    'Er kommt um die Ecke zu bleiben. Er, der Chef, eh nicht.',
  ],
  ['de', 'Ich, öh, weiß, um zu gehen, hm, nichts.', 'Ich weiß, um zu gehen nichts.'],
  ['fr', "Euh, je ne sais pas, heu, il a eu peur. Hum, d'accord.", "Je ne sais pas il a eu peur. D'accord."],
  ['es', 'Eh, este, yo creo que este libro, em, es bueno.', 'Yo creo que este libro es bueno.'],
  ['it', 'Ehm, io e lui, mmm, andiamo. Eh già.', 'Io e lui andiamo. Eh già.'],
  ['nl', 'Uh, ik weet het, ehm, niet. Er is een man, u weet wel.', 'Ik weet het niet. Er is een man, u weet wel.'],
  ['pt', 'Hum, eu acho que, ãh, um livro é bom.', 'Eu acho que um livro é bom.'],
  ['pl', 'Yyy, ja, eee, nie wiem, yhm. On i ona.', 'Ja nie wiem. On i ona.'],
  ['ja', 'えーと、 今日 は、 あのー、 天気 が あの 人 です。', '今日は天気があの人です。'],
  ['ja', 'あの、 (0.3) え ー と、 行き ます。', '行きます。'],
  ['ko', '음, 저는 어, 학교에 그 사람과 갔어요.', '저는 학교에 그 사람과 갔어요.'],
  // Twice by mistake, and on purpose.
  ['en', 'I I went to the the shop and we were we were late.', 'I went to the shop and we were late.'],
  ['en', 'The, um, the cat. Wh- what was was this? I I I I think so.', 'The cat. What was this? I think so.'],
  [
    'en',
    'It was very very good. No, no, no. Bye bye. I know that that is so. One two two three. 5 5 9.',
    'It was very very good. No, no, no. Bye bye. I know that that is so. One two two three. 5 5 9.',
  ],
  [
    'en',
    'Over and over and over and over again. Words words words words. Go there. There it is. B B C.',
    'Over and over and over and over again. Words words words words. Go there. There it is. B B C.',
  ],
  [
    'en',
    'So we (1.2) we left. [1] Yes I do [2] I do that.',
    'So we (1.2) we left. Yes I do I do that.'.replace('(1.2) ', ''),
  ],
  [
    'en',
    'in the middle in the middle of nowhere one of the one of the best',
    'in the middle of nowhere one of the best',
  ],
  [
    'de',
    'Das ist sehr sehr gut, und die, die kommen, kommen gern.',
    'Das ist sehr sehr gut, und die, die kommen gern.',
  ],
  ['fr', 'Nous nous sommes je je vais.', 'Nous nous sommes je vais.'],
  ['ja', 'どん どん 私 は (0.15) 私 は 行く', 'どんどん私は行く'],
  ['sv', 'jag jag går, eh, hem', 'jag går, eh, hem'],
];

describe('what nobody would miss', () => {
  it.each(cases)('%s: %s', (language, said, left) => expect(cleaned(said, language)).toBe(left));
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

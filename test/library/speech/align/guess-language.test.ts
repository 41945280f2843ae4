import { expect, it } from 'vitest';
import {
  areInTwoLanguages,
  guessLanguage,
  languagesByLetters,
} from '../../../../src/library/speech/align/script/guess-language.ts';

it.each([
  ['Мы пришли домой и сели за стол.', 'ru', 'bg'],
  ['Її їжа ще є на столі, і ґанок чистий.', 'uk', 'be'],
  ['ذهبنا إلى السوق في الصباح.', 'ar', 'fa'],
  ['きのう ほんを よみました。', 'ja', 'ja'],
  ['昨日、東京で本を買いました。', 'ja', 'ja'],
  ['我们昨天去了图书馆。', 'zh', 'yue'],
  ['우리는 어제 책을 읽었다.', 'ko', 'ko'],
  ['Χθες διάβασα ένα βιβλίο.', 'el', 'el'],
])('the letters of %s say the language', (text, first, other) => {
  const script = { format: 'txt', text } as const;
  expect(guessLanguage(script)).toBe(first);
  expect(languagesByLetters(script)).toContain(other);
});

it('Latin letters do not, and a foreign name does not change it', () => {
  const script = {
    format: 'txt',
    text: 'Der Name steht auf dem Schild, und das ist nicht Токио, was wir lesen.',
  } as const;
  expect(languagesByLetters({ ...script, text: 'The name is on the sign.' })).toBeNull();
  expect(languagesByLetters({ ...script, text: `${script.text} ${script.text.replace('Токио', 'Tokio')}` })).toBeNull();
  expect(guessLanguage({ ...script, text: 'Der Name ist nicht auf dem Schild.' })).toBe('de');
});

it('tells sister languages apart by common words, not closer ones, nor by a few or badly heard words', () => {
  const spanish = 'El mar era tranquilo y los niños que vivían en la costa no lo veían, pero su padre está en casa.';
  const italian = 'Il mare era tranquillo e non si vedeva più che una vela, come nella storia della mia nonna di Roma.';
  expect(areInTwoLanguages(spanish, italian, 'it')).toBe(true);
  expect(areInTwoLanguages(italian, italian, 'it')).toBe(false);
  expect(areInTwoLanguages('El mar es azul.', italian, 'it')).toBe(false);
  expect(areInTwoLanguages(spanish, 'Ul mare ira tranquollo a nun sa vedova pio chi ana vola.', 'it')).toBe(false);
  const [danish, norwegian] = [
    'Han tænkte på de mange år som han havde været her, og det er ikke til at se for mig og den anden.',
    'Han tenkte på de mange årene som han hadde vært her, og det er ikke til å se for meg og den andre.',
  ];
  expect(areInTwoLanguages(danish, norwegian, 'no')).toBe(false);
  expect(areInTwoLanguages(danish, norwegian, 'hr')).toBe(false);
});

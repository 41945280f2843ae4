// Words out of tokens, by the tokenizer of the installed recogniser.
import { expect, it } from 'vitest';
import { findRecogniser } from '../../../../src/library/models/recognisers.ts';
import { readLayout } from '../../../../src/library/speech/recognise/whisper/layout.ts';
import { loadVocabulary } from '../../../../src/library/speech/recognise/whisper/vocabulary.ts';

const { tokenizerPath } = await readLayout(await findRecogniser(undefined, 'whisper-base'));
const vocabulary = await loadVocabulary(tokenizerPath);
const firstSpecial = 50_257;
const wordsOf = (text: string, language: string): string[] => {
  const tokens = vocabulary.encode(text);
  return vocabulary.words(tokens, language, firstSpecial).map((word) => word.text);
};

it.each(['ja', 'zh', 'th'])('a foreign word in %s is one word, in however many tokens', (language) => {
  const foreign = 'Kubernetes';
  expect(vocabulary.encode(foreign).length).toBeGreaterThan(1);
  const words = wordsOf(`東京で${foreign}と20240を`, language);
  expect(words).toContain(foreign);
  expect(words).toContain('20240');
  expect(words.join('')).toBe(`東京で${foreign}と20240を`);
  expect(wordsOf(`${foreign} Metallurgy`, language)).toEqual([foreign, 'Metallurgy']);
});

it('letters of a script without spaces stay apart, and spaces divide other words', () => {
  expect(wordsOf('東京', 'ja').length).toBe(vocabulary.encode('東京').length);
  expect(wordsOf(' Kubernetes runs it.', 'en')).toEqual(['Kubernetes', 'runs', 'it.']);
});

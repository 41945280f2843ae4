import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { sentenceSplitter, splitSentences } from '../../../../src/library/speech/transcript/sentences/split.ts';
import { saidSentences } from '../../../fixtures/said-sentences.ts';
import { joinParts } from '../../../../src/library/speech/transcript/sentences/join-parts.ts';
import { spoken } from './spoken.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`sentences: seed ${seed} (SEED=${seed} repeats it)`);

const texts = (text: string, language: string): string[] =>
  splitSentences(spoken(text), language).map((sentence) => sentence.text);

describe('sentences', () => {
  it.each(saidSentences)('%s: %s', (language, text, expected) => expect(texts(text, language)).toEqual(expected));
});

test('a change of speaker ends a sentence; a word on the wrong side of a full stop does not', () => {
  const sentences = splitSentences(
    // The voices gave "Yes" to the speaker before, and "I" is said by nobody known.
    [...spoken('[1] How are you? [1] Yes [2] I am fine and you are too [1] okay then so do I'), ...spoken('bye', 12)],
    'en',
  );
  expect(sentences.map(({ text, speaker }) => [speaker, text])).toEqual([
    [1, 'How are you?'],
    [2, 'Yes I am fine and you are too'],
    [1, 'okay then so do I'],
    [null, 'bye'],
  ]);
  // Each word keeps the speaker of its own voice.
  expect(sentences[1]?.words.map(({ speaker }) => speaker)).toEqual([1, 2, 2, 2, 2, 2, 2, 2]);
  // Behind a pause a single word is a turn.
  expect(
    splitSentences(spoken('[1] so we went home (0.4) [2] Yeah (0.4) [1] and slept'), 'en').map(({ text }) => text),
  ).toEqual(['so we went home', 'Yeah', 'and slept']);
});

test('what has no stops is divided at pauses, behind commas', () => {
  const clause = (n: number) => Array.from({ length: n }, (_, at) => `word${at}`).join(' ');
  const sentences = splitSentences(spoken(`${clause(60)}, ${clause(50)} (0.7) ${clause(70)} ${clause(900)}`), 'en');
  expect(sentences.some(({ text }) => text.endsWith('word49'))).toBe(true);
  expect(sentences.some(({ text }) => text.endsWith('word59,'))).toBe(true);
  for (const { words, text } of sentences) {
    expect(words.at(-1)!.endSeconds - words[0]!.startSeconds).toBeLessThanOrEqual(30);
    expect(text.length).toBeLessThanOrEqual(301);
    expect(words.length).toBeGreaterThan(8);
  }
});

const someWords = fc
  .array(
    fc.constantFrom(
      ...'a The Dr. etc. end. ok? no! … 3. 日本 です。 (0.5) (1) (2.2) [1] [2] [3] , "so" J. I'.split(' '),
    ),
    { maxLength: 120 },
  )
  .map((tokens) => spoken(tokens.join(' ')));

test('no word is lost, moved or said twice, however many come at a time', () => {
  fc.assert(
    fc.property(
      someWords,
      fc.array(fc.integer({ min: 1, max: 9 })),
      fc.constantFrom('en', 'de', 'ja', 'xx'),
      (words, sizes, language) => {
        const whole = splitSentences(words, language);
        expect(whole.flatMap((sentence) => sentence.words)).toEqual(words);
        for (const [index, { startSeconds, endSeconds, speaker }] of whole.entries()) {
          expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
          expect(startSeconds).toBeGreaterThanOrEqual(whole[index - 1]?.startSeconds ?? 0);
          expect(speaker === null || speaker >= 1).toBe(true);
        }
        const splitter = sentenceSplitter(language);
        const pieces = [];
        let at = 0;
        for (const size of sizes) pieces.push(...splitter.push(words.slice(at, (at += size))));
        pieces.push(...splitter.push(words.slice(at)), ...splitter.finish());
        expect(pieces).toEqual(whole);
      },
    ),
    { seed, numRuns: 300 },
  );
});

it('characters of Japanese become words, and none over a pause', () => {
  const joined = (text: string): string[] => joinParts(spoken(text), 'ja').map((word) => word.text);
  expect(joined('東 京 へ 行 き ま す 。')).toEqual(['東京', 'へ', '行き', 'ます。']);
  expect(joined('東 (0.5) 京 へ 行 き (0.5) ま す 。')).toEqual(['東', '京', 'へ', '行き', 'ます。']);
  expect(joined('東 (0.2) 京')).toEqual(['東京']);
});

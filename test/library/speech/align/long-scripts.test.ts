// Scripts far longer than their recordings: a book given for a chapter.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignScript } from '../../../../src/library/speech/align/align-script.ts';
import type { HeardWord } from '../../../../src/library/speech/align/anchors/anchors.ts';
import { sayable } from '../../../../src/library/speech/align/anchors/sayable.ts';
import { seeded } from '../../../fixtures/random.ts';
import { acousticWords, edgeErrors, movedWords, quantile, speechOf } from '../../../fixtures/spoken-sounds.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const seed = Number(process.env['EARSHOT_TEST_SEED'] ?? Date.now() % 1_000_000);
console.log(`long scripts: EARSHOT_TEST_SEED=${seed}`);
const { signal } = new AbortController();
const truth = acousticWords();

/** Common words come often, as they do in a language; `spice` among them. */
function bookOf(words: number, random: () => number, spice: readonly string[] = []): string[] {
  const vocabulary = [...spice, ...Array.from({ length: 3000 }, (_, index) => `w${index.toString(36)}`)];
  return Array.from({ length: words }, () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? 'the');
}

const sentencesOf = (words: readonly string[]): string =>
  words.map((word, index) => (index % 12 === 11 ? `${word}.` : word)).join(' ');

describe('what can have been said of a script', () => {
  const secondsPerWord = 0.4;
  const heardAs = (keys: readonly string[]): HeardWord[] =>
    keys.map((key, index) => ({
      key,
      spoken: key,
      mark: '',
      startSeconds: index * secondsPerWord,
      endSeconds: (index + 0.9) * secondsPerWord,
    }));
  const lettersOf = (keys: readonly string[]): number => keys.reduce((sum, { length }) => sum + length, 0);

  it('is all of it where there is time for it', () => {
    const keys = bookOf(400, seeded(seed));
    expect(sayable(keys, heardAs(keys), 60)).toBeNull();
    expect(sayable(keys, [], 60)).toBeNull();
  });

  it('is the passages that were heard, however many words of them were misheard, and little more', slow, () =>
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          words: fc.integer({ min: 3000, max: 20_000 }),
          said: fc.integer({ min: 80, max: 300 }),
          at: fc.double({ min: 0, max: 1, noNaN: true }),
          misheard: fc.double({ min: 0, max: 0.2, noNaN: true }),
          // Said twice over with something of the book left out between: an abridged reading.
          skipped: fc.constantFrom(0, 0, 1500),
        }),
        ({ seed: own, words, said, at, misheard, skipped }) => {
          const random = seeded(own);
          const keys = bookOf(words, random);
          const first = Math.floor(at * (words - said - skipped));
          const half = Math.floor(said / 2);
          const read = [...Array(said).keys()].map((index) => first + index + (index < half ? 0 : skipped));
          const heard = heardAs(read.map((index) => (random() < misheard ? `x${index}` : (keys[index] as string))));
          const durationSeconds = said * secondsPerWord;
          const ranges = sayable(keys, heard, durationSeconds) ?? [{ from: 0, to: words }];
          for (const [index, { from, to }] of ranges.entries()) {
            expect(from).toBeLessThan(to);
            expect(from).toBeGreaterThanOrEqual(ranges[index - 1]?.to ?? 0);
          }
          const kept = (word: number): boolean => ranges.some(({ from, to }) => from <= word && word < to);
          expect(read.filter((word) => !kept(word))).toEqual([]);
          const letters = ranges.reduce((sum, { from, to }) => sum + lettersOf(keys.slice(from, to)), 0);
          expect(letters).toBeLessThanOrEqual(60 * durationSeconds + 3000);
        },
      ),
      { seed, numRuns: 60 },
    ),
  );

  it('is bounded by the recording for any two texts, and without a recogniser its beginning', slow, () =>
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 40 }), (own, said, kinds) => {
        const random = seeded(own);
        // Few words that come again and again are the worst.
        const draw = (count: number): string[] =>
          Array.from({ length: count }, () => `word${Math.floor(random() * kinds)}`);
        const keys = draw(4000);
        const durationSeconds = Math.max(1, said * secondsPerWord);
        for (const heard of [heardAs(draw(said)), null]) {
          const ranges = sayable(keys, heard, durationSeconds);
          const letters = (ranges ?? []).reduce((sum, { from, to }) => sum + lettersOf(keys.slice(from, to)), 0);
          expect(ranges).not.toBeNull();
          expect(letters).toBeLessThanOrEqual(60 * durationSeconds + 3000);
          if (heard === null) expect(ranges).toMatchObject([{ from: 0 }]);
        }
      }),
      { seed, numRuns: 60 },
    ),
  );

  it('holds for scripts whose words touch', () => {
    const random = seeded(seed);
    const syllables = Array.from({ length: 80 }, (_, index) => String.fromCodePoint(0x3042 + index));
    const draw = (): string => Array.from({ length: 4 }, () => syllables[Math.floor(random() * 80)]).join('');
    const keys = Array.from({ length: 3000 }, draw);
    const heard = heardAs(keys.slice(2000, 2060));
    const ranges = sayable(keys, heard, 24);
    expect(ranges).toHaveLength(1);
    expect(ranges?.[0]?.from).toBeLessThanOrEqual(2000);
    expect(ranges?.[0]?.from).toBeGreaterThan(1950);
    expect(ranges?.[0]?.to).toBeGreaterThanOrEqual(2060);
    expect(ranges?.[0]?.to).toBeLessThan(2110);
  });
});

describe('aligning a book', () => {
  const spice = truth.map(({ text }) => text);

  it('finds the passage as if it had been given alone, and says what it left out', slower, async () => {
    const random = seeded(seed);
    const sound = await speechOf('acoustic_corpus.wav');
    const recognised = movedWords(truth, random);
    const passage = `${spice.join(' ')}.`;
    const align = (text: string) => alignScript(sound, { format: 'txt', text }, { language: 'en', recognised, signal });
    const [before, after] = [bookOf(15_000, random, spice), bookOf(10_000, random, spice)];
    const { words, leftOut } = await align([sentencesOf(before), passage, sentencesOf(after)].join('\n\n'));
    const chapter = words.filter(({ part }) => part === 1);
    expect(chapter.map(({ text }) => text).join(' ')).toBe(passage);
    const found = chapter.flatMap((word, index) => (word.matched ? [{ word, index }] : []));
    expect(found.length).toBeGreaterThanOrEqual(0.97 * truth.length);
    const errors = edgeErrors(
      found.map(({ word }) => word),
      found.map(({ index }) => truth[index]!),
    );
    // The recogniser's words are moved at random, which also moves what is found from the passage alone.
    const alone = (await align(passage)).words.flatMap((word, index) => (word.matched ? [{ word, index }] : []));
    const errorsAlone = edgeErrors(
      alone.map(({ word }) => word),
      alone.map(({ index }) => truth[index]!),
    );
    expect(quantile(errors, 0.9)).toBeLessThan(Math.max(0.2, quantile(errorsAlone, 0.9) + 0.02));
    // Of the sentences beside it some may sound as if they were said.
    const [first, last] = [leftOut[0]!, leftOut.at(-1)!];
    expect(leftOut).toHaveLength(2);
    expect(first.words + last.words).toBe(25_000 - (words.length - chapter.length));
    expect(words.length - chapter.length).toBeLessThan(40);
    expect(first).toMatchObject({ begins: before.slice(0, 6).join(' '), atSeconds: 0 });
    expect(last.ends.endsWith(sentencesOf(after).split(' ').at(-1)!)).toBe(true);
    expect(last.atSeconds).toBe(words.at(-1)?.endSeconds);
  });

  it(
    'takes the beginning of it where nothing listened, and nothing of it where nothing was heard',
    slower,
    async () => {
      const sound = await speechOf('acoustic_corpus.wav');
      const text = sentencesOf(bookOf(20_000, seeded(seed), spice));
      const align = (recognised: [] | null) =>
        alignScript(sound, { format: 'txt', text }, { language: 'en', recognised, signal });
      const unheard = await align(null);
      expect(text.startsWith(unheard.words.map((word) => word.text).join(' '))).toBe(true);
      expect(unheard.words.length).toBeGreaterThan(20);
      expect(unheard.leftOut).toHaveLength(1);
      const silent = await align([]);
      expect(silent.words).toEqual([]);
      expect(silent.leftOut.map(({ words }) => words)).toEqual([20_000]);
    },
  );
});

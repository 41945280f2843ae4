import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../fixtures/random.ts';
import { compareWords } from '../../../../src/library/speech/text-edit/compare.ts';
import { slow } from '../../../fixtures/rounds.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`compare texts: seed ${seed} (SEED=${seed} repeats it)`);

const words = (text: string): string[] => (text === '' ? [] : text.split(' '));
const found = (original: string, edited: string, pauses?: readonly number[]): string[] =>
  compareWords(words(original), words(edited), pauses).matches.map(
    ({ kind, originalFrom, originalTo, editedFrom, editedTo }) =>
      `${kind} ${words(original).slice(originalFrom, originalTo).join(' ')}` +
      (kind === 'same' ? '' : ` -> ${words(edited).slice(editedFrom, editedTo).join(' ')}`),
  );

/** Texts with many equal words, as speech has them, and with words of their own. */
const text = fc.array(
  fc.oneof(
    fc.constantFrom('the', 'and', 'i', 'we', 'you', 'is'),
    fc.integer({ min: 0, max: 400 }).map((n) => `word${n}`),
  ),
  { minLength: 1, maxLength: 120 },
);

describe('deleted words', () => {
  it('leave exactly the words of the edited text, in order, each by its own sound', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.tuple(fc.nat(119), fc.integer({ min: 1, max: 30 })), { maxLength: 8 }),
        (original, cuts) => {
          const gone = new Set(cuts.flatMap(([from, length]) => Array.from({ length }, (_, at) => from + at)));
          const edited = original.filter((_, at) => !gone.has(at));
          const { matches } = compareWords(original, edited);
          const used = matches.flatMap(({ originalFrom, originalTo }) =>
            Array.from({ length: originalTo - originalFrom }, (_, at) => originalFrom + at),
          );
          expect(used.map((at) => original[at])).toEqual(edited);
          expect(used).toEqual([...new Set(used)].toSorted((a, b) => a - b));
          expect(matches.every(({ kind }) => kind === 'same')).toBe(true);
          let at = 0;
          for (const { editedFrom, editedTo } of matches) {
            expect(editedFrom).toBe(at);
            at = editedTo;
          }
          expect(at).toBe(edited.length);
        },
      ),
      { seed, numRuns: 300 },
    );
  });

  it('of equal cuts is the one in the longest pauses; without pauses the first of a word said twice goes', () => {
    expect(found('i think i think we go', 'i think we go')).toEqual(['same i think we go']);
    const pauses = [0, 0, 0.4, 0, 0.1, 0];
    expect(
      compareWords(words('so i think i think we'), words('so i think we'), [0, 0, 0, 0.9, 0, 0.8]).matches,
    ).toMatchObject([
      { originalFrom: 0, originalTo: 3 },
      { originalFrom: 5, originalTo: 6 },
    ]);
    expect(compareWords(words('a b a b c d'), words('a b c d'), pauses).matches).toMatchObject([
      { originalFrom: 2, originalTo: 6 },
    ]);
  });
});

describe('moved passages', () => {
  it('are found wherever they go', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 12, max: 60 }),
        fc.nat(59),
        fc.integer({ min: 3, max: 20 }),
        fc.nat(59),
        (length, from, size, to) => {
          const original = Array.from({ length }, (_, at) => (at % 4 === 0 ? 'and' : `word${at}`));
          const rest = original.toSpliced(from, size);
          const edited = rest.toSpliced(Math.min(to, rest.length), 0, ...original.slice(from, from + size));
          const { matches } = compareWords(original, edited);
          const used = matches.flatMap(({ originalFrom, originalTo }) => original.slice(originalFrom, originalTo));
          // An "and" alone between two passages may be left over.
          expect(used.filter((word) => word !== 'and')).toEqual(edited.filter((word) => word !== 'and'));
        },
      ),
      { seed, numRuns: 200 },
    );
  });

  it('may be in the text twice', () => {
    expect(found('one two three four five six', 'four five six one two three four five six')).toEqual([
      'same four five six',
      'same one two three four five six',
    ]);
  });

  it('of a single word are taken where the recording has it once', () => {
    expect(found('we met in vienna yesterday and it rained', 'yesterday we met in vienna and it rained')).toEqual([
      'same yesterday',
      'same we met in vienna',
      'same and it rained',
    ]);
    expect(found('we met the man in the house', 'the we met man in house')).not.toContain('same the');
  });
});

describe('words that are not in the recording', () => {
  it('keep the sound of what they replace, where that is sure', () => {
    expect(found('my friend jon lives here', 'my friend john lives here')).toEqual([
      'same my friend',
      'changed jon -> john',
      'same lives here',
    ]);
    expect(found('i have 25 of them', 'i have twenty five of them')).toContain('changed 25 -> twenty five');
    expect(found('it is all right with me', 'it is alright with me')).toContain('changed all right -> alright');
  });

  it('are left over elsewhere', () => {
    expect(found('one two three', 'one two three four')).toEqual(['same one two three']);
    // "the" alone between new words is no sound of its own.
    expect(
      found(
        'we begin here the old part is gone and we end',
        'we begin here nobody said this the new way at all and we end',
      ),
    ).toEqual(['same we begin here', 'same and we end']);
  });
});

it('ten hours of words take seconds, not minutes', slow, () => {
  const random = seeded(seed);
  const original = Array.from({ length: 90_000 }, () => `word${Math.floor(random() ** 2 * 5000)}`);
  const edited = original.filter((_, at) => at % 1000 > 40);
  const { matches } = compareWords(original, edited);
  expect(matches.reduce((sum, { editedTo, editedFrom }) => sum + editedTo - editedFrom, 0)).toBe(edited.length);
});

import { describe, expect, it } from 'vitest';
import { knownByCues } from '../../../../src/library/speech/align/script/cue-times.ts';

/** Twenty cues of two words, 3 s each. */
const parts = Array.from({ length: 20 }, (_, index) => ({
  startSeconds: index * 4,
  endSeconds: index * 4 + 3,
  lines: ['one two'],
  voice: null,
}));
const words = parts.flatMap((_, part) => ['one', 'two'].map((spoken) => ({ spoken, part })));
/** Where the words are when they are said `shift` later than their cues say. */
const heard = (shift: (part: number) => number) =>
  words.map(({ part }, index) => {
    const startSeconds = part * 4 + (index % 2) * 1.5 + shift(part);
    return { startSeconds, endSeconds: startSeconds + 1.5 };
  });

describe('times of cues', () => {
  it('that are all late or drift are used as they turned out to be, also for words that were not found', () => {
    const drift = (part: number): number => 2.5 + part * 0.05;
    const places = heard(drift).map((place, index) => (index % 5 === 0 ? null : place));
    const known = knownByCues(parts, words, places);
    for (const [index, place] of heard(drift).entries())
      expect(Math.abs(known[index]!.startSeconds - place.startSeconds)).toBeLessThan(0.7);
  });

  it('that are right outvote words that were found in the wrong place', () => {
    const places = heard((part) => (part % 6 === 3 ? 9 : 0));
    for (const [index, place] of knownByCues(parts, words, places).entries())
      expect(Math.abs(place!.startSeconds - heard(() => 0)[index]!.startSeconds)).toBeLessThan(0.1);
  });

  it('that are wrong, too few, or missing are forgiven', () => {
    const nothing = words.map(() => null);
    expect(
      knownByCues(
        parts,
        words,
        heard((part) => ((part * 7) % 11) * 3),
      ),
    ).toEqual(nothing);
    expect(knownByCues(parts, words, nothing)).toEqual(nothing);
    const plain = parts.map((part) => ({ ...part, startSeconds: null, endSeconds: null }));
    expect(
      knownByCues(
        plain,
        words,
        heard(() => 0),
      ),
    ).toEqual(nothing);
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isClaimed } from '../../../../src/library/speech/fillers/is-claimed.ts';

const ranges = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 60 })), { maxLength: 8 })
  .map((all) => all.map(([from, length]) => ({ startSeconds: from / 100, endSeconds: (from + length) / 100 })));

it('a cut within a word is claimed, one between words is not', () => {
  fc.assert(
    fc.property(ranges, fc.integer({ min: 0, max: 300 }), fc.integer({ min: 5, max: 60 }), (words, from, length) => {
      const cut = { startSeconds: from / 100, endSeconds: (from + length) / 100 };
      const common = words.map((word) =>
        Math.max(0, Math.min(word.endSeconds, cut.endSeconds) - Math.max(word.startSeconds, cut.startSeconds)),
      );
      if (common.every((seconds) => seconds === 0)) expect(isClaimed(cut, words)).toBe(false);
      if (common.some((seconds) => seconds > 0.61 * (length / 100))) expect(isClaimed(cut, words)).toBe(true);
    }),
  );
});

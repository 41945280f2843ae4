// A word behind a pause begins with its sound: a plosive is held back for some hundredths of a second, and an aligner
// cannot tell that from the pause.
import { expect, it } from 'vitest';
import { onsetOf } from '../../../../src/library/speech/align/pieces.ts';

/** Frames 0 to 9 are silence, then sound. */
const loudness = (silence: number): Float32Array => Float32Array.from({ length: 40 }, (_, n) => (n < 10 ? silence : 1));
const words = (starts: readonly number[], ends: readonly number[]) => ({
  starts: Int32Array.from(starts),
  ends: Int32Array.from(ends),
  costs: new Float32Array(starts.length),
});

it('a word that begins in silence begins with its sound', () => {
  expect(onsetOf(words([2], [30]), 0, loudness(0))).toBe(10);
  expect(onsetOf(words([0, 4], [2, 30]), 1, loudness(0))).toBe(10);
});

it('not one that follows another, or in a room with noise', () => {
  expect(onsetOf(words([0, 4], [4, 30]), 1, loudness(0))).toBe(4);
  expect(onsetOf(words([2], [30]), 0, loudness(0.1))).toBe(2);
});

it('not one without sound, or that begins longer before it than a plosive is held', () => {
  expect(onsetOf(words([2], [9]), 0, loudness(0))).toBe(2);
  expect(onsetOf(words([2], [30]), 0, new Float32Array(40))).toBe(2);
});

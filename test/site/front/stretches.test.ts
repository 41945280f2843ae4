import { expect, it } from 'vitest';
import { kept } from '../../../src/site/front/stretches.ts';

it('plays what is not cut, in order, from where it is asked to', () => {
  expect(kept([], 2, 14)).toEqual([[2, 14]]);
  expect(
    kept(
      [
        [10, 11],
        [3, 4],
      ],
      0,
      14,
    ),
  ).toEqual([
    [0, 3],
    [4, 10],
    [11, 14],
  ]);
  // In the middle of a cut, and behind all of them.
  expect(kept([[3, 4]], 3.5, 14)).toEqual([[4, 14]]);
  expect(kept([[3, 4]], 5, 14)).toEqual([[5, 14]]);
});

it('joins cuts that overlap or touch, and may have nothing left', () => {
  expect(
    kept(
      [
        [1, 5],
        [2, 3],
        [5, 6],
      ],
      0,
      10,
    ),
  ).toEqual([
    [0, 1],
    [6, 10],
  ]);
  expect(kept([[0, 14]], 0, 14)).toEqual([]);
  expect(kept([[12, 20]], 0, 14)).toEqual([[0, 12]]);
  expect(kept([[20, 30]], 0, 14)).toEqual([[0, 14]]);
});

import { nativeKernels } from './load.ts';

/**
 * Finds the vector most similar to a given one, by inner product. Exactly symmetric: the product of two rows does not
 * depend on their order.
 * @param rows `count` vectors of `length` elements (1 to 4096), concatenated; at least 2
 * @param preferred wins among equals, if it is one of them; `count` for none: then the first wins
 * @returns the number of a row other than `item`
 * @throws TypeError on numbers out of range, on an array that is too short
 */
export const nearestRow = (
  rows: Float32Array,
  { length, count, item, preferred }: Readonly<Record<'length' | 'count' | 'item' | 'preferred', number>>,
): number => nativeKernels().nearestRow(rows, length, count, item, preferred);

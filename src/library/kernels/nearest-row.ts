import { nativeKernels } from './load.ts';

/**
 * Which of many vectors is most like one of them, by their inner product. Exactly symmetric: two rows have the same
 * product whichever of them is asked about.
 * @param rows `count` vectors of `length` elements (1 to 4096), one after the other; 2 and more
 * @param preferred wins among equals, if it is one of them; `count` for none, and then the first does
 * @returns the number of a row other than `item`
 * @throws TypeError on numbers out of range, on an array that is too short
 */
export const nearestRow = (
  rows: Float32Array,
  { length, count, item, preferred }: Readonly<Record<'length' | 'count' | 'item' | 'preferred', number>>,
): number => nativeKernels().nearestRow(rows, length, count, item, preferred);

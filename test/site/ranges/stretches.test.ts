import { expect, it } from 'vitest';
import { heardFrom, stretchesOf } from '../../../src/site/ranges/stretches.ts';

it('reads the times that the field holds, in order and within the recording', () => {
  expect(stretchesOf('0:08.0-0:14.5\n2-3', 60)).toEqual([
    [2, 3],
    [8, 14.5],
  ]);
  expect(stretchesOf('50-70\n80-90\n5-5\n6-4\nx-3\n', 60)).toEqual([[50, 60]]);
  expect(stretchesOf('', 60)).toEqual([]);
});

it('plays what will be left when stretches are removed', () => {
  const stretches = stretchesOf('2-4\n3-6\n9-10', 10);
  expect(heardFrom(1, stretches, false, 10)).toBe(1);
  expect(heardFrom(2, stretches, false, 10)).toBe(6);
  expect(heardFrom(3.5, stretches, false, 10)).toBe(6);
  expect(heardFrom(6, stretches, false, 10)).toBe(6);
  expect(heardFrom(9.5, stretches, false, 10)).toBeNull();
});

it('plays only what is kept, and all where nothing is drawn', () => {
  const stretches = stretchesOf('2-4\n6-7', 10);
  expect(heardFrom(0, stretches, true, 10)).toBe(2);
  expect(heardFrom(3, stretches, true, 10)).toBe(3);
  expect(heardFrom(4, stretches, true, 10)).toBe(6);
  expect(heardFrom(7, stretches, true, 10)).toBeNull();
  expect(heardFrom(5, [], true, 10)).toBe(5);
  expect(heardFrom(10, [], false, 10)).toBeNull();
});

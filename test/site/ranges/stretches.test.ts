import { expect, it } from 'vitest';
import { heardFrom, listedIn, listedPlayer, stretchesOf } from '../../../src/site/ranges/stretches.ts';

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

it('plays what is kept as it is listed, also what goes back and what comes twice', () => {
  const stretches = listedIn('6-7\n1-2\n1-2', 10);
  expect(stretches).toEqual([
    [6, 7],
    [1, 2],
    [1, 2],
  ]);
  const heard = listedPlayer();
  const places: (number | null)[] = [];
  let at = 0;
  // As a page asks: each 30 ms, and the end is seen late.
  for (let frame = 0; frame < 200; frame++) {
    const next = heard(at, stretches);
    if (next !== at) places.push(next);
    if (next === null) break;
    at = next + 0.03;
  }
  expect(places).toEqual([6, 1, 1, null]);
  // Again from the first, and from a place that somebody presses within one.
  expect(heard(at, stretches)).toBe(6);
  expect(heard(1.5, stretches)).toBe(1.5);
  expect(heard(9, stretches)).toBe(6);
  expect(listedPlayer()(5, [])).toBe(5);
});

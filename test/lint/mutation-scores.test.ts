// When a mutation score has fallen. A draw scatters: counted against draws made here.
import { expect, it } from 'vitest';
import { fallen, hasFallen, roomOf } from '../../scripts/mutation-scores.ts';
import { seeded } from '../fixtures/media/signals.ts';

it('a draw of the same tests is rarely taken for a fall, and a real fall mostly is', () => {
  const random = seeded(5);
  const draw = (share: number, made: number) => ({
    made,
    noticed: Array.from({ length: made }, random).filter((x) => x < share).length,
  });
  const falls = (now: number): number =>
    Array.from({ length: 2000 }, () => hasFallen(draw(now, 60), draw(0.7, 120))).filter(Boolean).length / 2000;
  expect(falls(0.7)).toBeLessThan(0.005);
  expect(falls(0.8)).toBe(0);
  expect(falls(0.35)).toBeGreaterThan(0.9);
});

it('rooms that were never scored are not compared, and those that were also together', () => {
  const kept = { a: { noticed: 80, made: 100 }, b: { noticed: 75, made: 100 } };
  const now = (noticed: number) => ({ noticed, made: 100 });
  expect(fallen(new Map([['new', now(0)]]), kept)).toEqual([]);
  expect(fallen(new Map([['a', now(78)]]), kept)).toEqual([]);
  expect(fallen(new Map([['a', now(40)]]), kept)).toEqual([
    'a: 40.0 %  40 of 100; kept: 80.0 %  80 of 100',
    'all: 40.0 %  40 of 100; kept: 80.0 %  80 of 100',
  ]);
  // Neither alone, but both: 65 and 60 of 100.
  expect(
    fallen(
      new Map([
        ['a', now(63)],
        ['b', now(58)],
      ]),
      kept,
    ).map((line) => line.slice(0, 3)),
  ).toEqual(['all']);
});

it('a room is the first folder below', () => {
  expect(roomOf('src/service/http/v1/jobs/list.ts', 'src/service/http')).toBe('src/service/http/v1');
  expect(roomOf('src/service/http/server.ts', 'src/service/http')).toBe('src/service/http');
});

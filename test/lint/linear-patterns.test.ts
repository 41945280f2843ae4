// @module-tag slow
// A text of a stranger cannot make a regular expression of ours take minutes.
import { expect, it } from 'vitest';
import { notListed, readPatterns, whyNotLinear } from '../../scripts/linear-patterns.ts';

const patterns = readPatterns();

it('every regular expression of the sources takes time linear in its text', () => {
  expect(patterns.length).toBeGreaterThan(300);
  const fresh = notListed(patterns);
  expect(fresh.length, 'more than the test can examine: npm run patterns:write').toBeLessThan(40);
  const slow = fresh.flatMap((pattern) => {
    const why = whyNotLinear(pattern);
    return why === null ? [] : [`${pattern.place}: /${pattern.source}/${pattern.flags} is ${why}`];
  });
  expect(slow, 'write each so that it cannot begin at every place of a run: scripts/linear-patterns.ts').toEqual([]);
}, 120_000);

it.each([
  ['many starts in one run', /\/+$/, true],
  ['one start in one run', /(?<!\/)\/+$/, false],
  ['two ways to read the same digits', /^(\d+\.?\d*)$/, true],
  ['one way to read digits', /^(\d+(?:\.\d*)?)$/, false],
  ['nested runs', /^(?:a+)+$/, true],
])('a check knows %s', (_, { source, flags }, isSlow) => {
  expect(whyNotLinear({ place: '', source, flags }) !== null).toBe(isSlow);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duckDepthDb, duckUnder } from '../../../src/library/dsp/gain/duck.ts';
import { runsOf, tidy } from '../../../src/library/dsp/series/sliding.ts';

const maskOf = (text: string): Uint8Array => Uint8Array.from(text, (sign) => (sign === '1' ? 1 : 0));
const textOf = (mask: Uint8Array): string => mask.join('');

describe('tidy', () => {
  it.each([
    // Gaps of two are filled before bursts of fewer than three are looked for.
    ['0011001100', 3, 3, '0011111100'],
    ['0110001100', 3, 3, '0000000000'],
    ['0111001110', 2, 3, '0111001110'],
    ['1110000000', 3, 3, '1110000000'],
    ['1100000111', 3, 3, '0000000111'],
    ['0000000011', 3, 2, '0000000011'],
  ])('%s with gaps under %i and bursts under %i becomes %s', (before, gap, burst, after) => {
    const mask = maskOf(before);
    tidy(mask, gap, burst);
    expect(textOf(mask)).toBe(after);
  });

  it('leaves no gap and no stretch under the least, and what has neither as it was', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 1), { maxLength: 80 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 6 }),
        (ones, gap, burst) => {
          const mask = Uint8Array.from(ones);
          tidy(mask, gap, burst);
          const runs = runsOf(mask);
          for (const [index, { start, end }] of runs.entries()) {
            expect(end - start).toBeGreaterThanOrEqual(burst);
            if (index > 0) expect(start - (runs[index - 1]?.end ?? 0)).toBeGreaterThanOrEqual(gap);
          }
          const again = mask.slice();
          tidy(again, gap, burst);
          expect(again).toEqual(mask);
        },
      ),
      { verbose: true },
    );
  });
});

it.each([0.01, 0.02, 0.05])(
  'music is all the way down 0.1 s into the first word and not at its start (hops of %d s)',
  (hopSeconds) => {
    const at = (seconds: number): number => Math.round(seconds / hopSeconds);
    const { gainsDb } = duckUnder([[{ start: at(3), end: at(6) }]], at(12), hopSeconds);
    expect(gainsDb[at(3.15)]).toBeCloseTo(-duckDepthDb, 1);
    expect(gainsDb[at(3)]).toBeGreaterThan(-duckDepthDb + 0.3);
    expect(gainsDb[at(2.4)]).toBe(0);
    // Down for 0.8 s behind the last word, and back again 1.8 s behind it.
    expect(gainsDb[at(6.7)]).toBeCloseTo(-duckDepthDb, 1);
    expect(gainsDb[at(8)]).toBeCloseTo(0, 1);
  },
);

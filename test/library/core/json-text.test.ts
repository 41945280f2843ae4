import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTooDeep } from '../../../src/library/core/json.ts';
import { jsonExcess } from '../../../src/library/core/json-text.ts';
import { slow } from '../../fixtures/rounds.ts';

/** Counted in the parsed value: the truth about what the text holds. */
function countsOf(value: unknown): { values: number; names: number } {
  if (typeof value !== 'object' || value === null) return { values: 0, names: 0 };
  const inner = Object.values(value).map(countsOf);
  const own = Array.isArray(value) ? [] : Object.keys(value).filter((name) => !/^\d{1,7}$/.test(name));
  return {
    // An empty list or object counts as one.
    values: Math.max(1, Object.keys(value).length) + inner.reduce((sum, { values }) => sum + values, 0),
    names: own.length + inner.reduce((sum, { names }) => sum + names, 0),
  };
}

describe('the bounds of a JSON text', () => {
  it('are counted as in the value that a parser makes of it', slow, () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 2 : 0);
        const { values, names } = countsOf(JSON.parse(text));
        expect(jsonExcess(text, { values, names })).toBeUndefined();
        if (values > 0) expect(jsonExcess(text, { values: values - 1, names })).toBeDefined();
        if (names > 0) expect(jsonExcess(text, { values, names: names - 1 })).toBeDefined();
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['a list in 32 lists', '['.repeat(32) + ']'.repeat(32)],
    ['signs within strings', JSON.stringify({ a: `${'[{:,'.repeat(100_000)}\\"` })],
    ['no JSON', `{"a":"${'\\'.repeat(100_001)}`],
    ['numbers as names', JSON.stringify(Object.fromEntries(Array.from({ length: 49_999 }, (_, index) => [index, 1])))],
  ])('hold for %s', (_what, text) => {
    expect(jsonExcess(text)).toBeUndefined();
  });

  it.each([
    ['one level more', '['.repeat(33) + ']'.repeat(33), 'JSON of at most 32 levels'],
    ['levels that never end', '['.repeat(2_000_000), 'JSON of at most 32 levels'],
    ['200,000 names', `{${Array.from({ length: 200_000 }, (_, index) => `"n${index}":1`).join()}}`, /20000 names/],
    ['a million empty lists', `[${'[],'.repeat(1_000_000)}1]`, /50000 values/],
  ])('refuse %s', (_what, text, said) => {
    expect(jsonExcess(text)).toMatch(said);
  });

  it('have the same levels as those of values', () => {
    for (const levels of [31, 32, 33, 34]) {
      const text = '['.repeat(levels) + ']'.repeat(levels);
      expect(jsonExcess(text) !== undefined).toBe(isTooDeep(JSON.parse(text)));
    }
  });
});

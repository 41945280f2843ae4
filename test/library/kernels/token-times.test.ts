import { describe, expect, it } from 'vitest';
import { tokenTimes } from '../../../src/library/kernels/token-times.ts';
import { seeded } from './signals.ts';

/** The definition, in double precision: normalise, median of 7, mean over heads, the best monotonous path. */
function expectedTimes(attention: Float32Array, tokens: number, heads: number, positions: number): number[] {
  const fit = Array.from({ length: tokens }, () => new Float64Array(positions));
  for (let head = 0; head < heads; head += 1) {
    const rows = Array.from({ length: tokens }, (_, token) => {
      const row = Array.from(
        attention.subarray((token * heads + head) * positions, (token * heads + head + 1) * positions),
      );
      const sum = row.reduce((a, b) => a + b, 0);
      return row.map((x) => (sum > 0 ? x / sum : 0));
    });
    for (let i = 0; i < positions; i += 1) {
      const column = rows.map((row) => row[i]!);
      const mean = column.reduce((a, b) => a + b, 0) / tokens;
      const deviation = Math.sqrt(Math.max(column.reduce((a, b) => a + (b - mean) ** 2, 0) / tokens, 1e-20));
      for (const row of rows) row[i] = (row[i]! - mean) / deviation;
    }
    for (const [token, row] of rows.entries())
      for (let i = 0; i < positions; i += 1) {
        const around = [-3, -2, -1, 0, 1, 2, 3].map((k) => {
          const at = Math.abs(i + k);
          return row[at >= positions ? 2 * (positions - 1) - at : at]!;
        });
        fit[token]![i]! += (positions > 3 ? around.toSorted((a, b) => a - b)[3]! : row[i]!) / heads;
      }
  }
  const best = Array.from({ length: tokens }, () => new Float64Array(positions).fill(-Infinity));
  for (let token = 0; token < tokens; token += 1)
    for (let i = 0; i < positions; i += 1)
      best[token]![i] =
        fit[token]![i]! +
        (token === 0 && i === 0
          ? 0
          : Math.max(
              best[token - 1]?.[i - 1] ?? -Infinity,
              best[token - 1]?.[i] ?? -Infinity,
              best[token]![i - 1] ?? -Infinity,
            ));
  const begins: number[] = [];
  for (let token = tokens - 1, i = positions - 1; ;) {
    begins[token] = i;
    if (token === 0) break;
    const [both, next, stay] = [
      best[token - 1]![i - 1] ?? -Infinity,
      best[token - 1]![i]!,
      best[token]![i - 1] ?? -Infinity,
    ];
    if (both >= next && both >= stay) {
      token -= 1;
      i -= 1;
    } else if (next > stay) token -= 1;
    else i -= 1;
  }
  begins[0] = 0;
  return begins;
}

describe('tokenTimes', () => {
  it.each([
    [12, 3, 100],
    [40, 8, 333],
    [5, 1, 4],
    [3, 2, 9],
  ])('%i tokens, %i heads, %i positions: the definition', (tokens, heads, positions) => {
    const random = seeded(tokens);
    const attention = Float32Array.from({ length: tokens * heads * positions }, () => random() ** 4);
    const actual = Array.from(tokenTimes(attention, { tokens, heads, positions }));
    expect(actual).toEqual(expectedTimes(attention, tokens, heads, positions));
  });

  it('finds tokens where the attention lies, whatever a bad head says', () => {
    const [tokens, heads, positions] = [10, 4, 500];
    const random = seeded(4);
    const starts = [0, 40, 90, 120, 200, 210, 300, 360, 400, 460];
    const attention = new Float32Array(tokens * heads * positions);
    for (let token = 0; token < tokens; token += 1)
      for (let head = 0; head < heads; head += 1)
        for (let i = 0; i < positions; i += 1) {
          const inside = i >= starts[token]! && i < (starts[token + 1] ?? positions);
          attention[(token * heads + head) * positions + i] = random() * 0.05 + (head < 3 && inside ? 1 : 0.01);
        }
    const found = tokenTimes(attention, { tokens, heads, positions });
    for (const [token, start] of starts.entries()) expect(Math.abs(found[token]! - start)).toBeLessThanOrEqual(3);
  });

  it('takes nothing, one token, one position, and refuses too little', () => {
    expect(tokenTimes(new Float32Array(0), { tokens: 0, heads: 1, positions: 5 })).toHaveLength(0);
    expect([...tokenTimes(new Float32Array(5), { tokens: 1, heads: 1, positions: 5 })]).toEqual([0]);
    expect([...tokenTimes(new Float32Array(3), { tokens: 3, heads: 1, positions: 1 })]).toEqual([0, 0, 0]);
    expect([...tokenTimes(new Float32Array(0), { tokens: 2, heads: 1, positions: 0 })]).toEqual([0, 0]);
    expect(() => tokenTimes(new Float32Array(5), { tokens: 1, heads: 1, positions: 6 })).toThrow(TypeError);
  });

  it.each([NaN, Infinity, -1, 3e38])('comes to an end with attention of %d', (value) => {
    const [tokens, heads, positions] = [6, 2, 40];
    const attention = new Float32Array(tokens * heads * positions).fill(0.5);
    for (let at = 0; at < attention.length; at += 7) attention[at] = value;
    const found = tokenTimes(attention, { tokens, heads, positions });
    expect(found).toHaveLength(tokens);
    expect([...found].every((at, token) => at >= (found[token - 1] ?? 0) && at < positions)).toBe(true);
  });
});

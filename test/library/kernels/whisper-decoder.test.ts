import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  createWhisperDecoder,
  packWeights,
  type Q8Matrix,
  type WhisperDecoderWeights,
} from '../../../src/library/kernels/whisper-decoder.ts';
import { heads, type Said, say, smallShape, smallTask, smallWeights, width } from './small-decoder.ts';

type Row = number[];

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += a[index]! * b[index]!;
  return sum;
};
const rowOf = ({ table, scales }: Q8Matrix, row: number, columns: number): Row =>
  Array.from(
    { length: columns },
    (_, column) => (table[row * columns + column]! - 128) * scales[Math.floor((row * columns + column) / 32)]!,
  );
const times = (matrix: Q8Matrix, x: Row, bias: ArrayLike<number> | null): Row =>
  Array.from(
    { length: matrix.table.length / x.length },
    (_, row) => dot(rowOf(matrix, row, x.length), x) + (bias?.[row] ?? 0),
  );
const plus = (a: Row, b: ArrayLike<number>): Row => a.map((x, index) => x + b[index]!);
const norm = (x: Row, weight: ArrayLike<number>, bias: ArrayLike<number>): Row => {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const variance = x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length;
  return x.map((v, index) => ((v - mean) / Math.sqrt(variance + 1e-5)) * weight[index]! + bias[index]!);
};
/** erf by its series (Abramowitz and Stegun 7.1.6), enough terms for what comes here. */
const erf = (x: number): number => {
  if (Math.abs(x) > 5) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let n = 1; n < 120; n += 1) sum += term *= (2 * x * x) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
};
const gelu = (x: number): number => (x * (1 + erf(x / Math.SQRT2))) / 2;

/** Attention of one query, head by head, and what each head looks at. */
function attend(query: Row, keys: readonly Row[], values: readonly Row[]): { out: Row; weights: Row[] } {
  const { headWidth } = smallShape;
  const out: Row = [];
  const weights: Row[] = [];
  for (let head = 0; head < smallShape.heads; head += 1) {
    const part = (x: Row): Row => x.slice(head * headWidth, (head + 1) * headWidth);
    const scores = keys.map((key) => dot(part(query), part(key)) / Math.sqrt(headWidth));
    const most = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - most));
    const sum = powers.reduce((a, b) => a + b, 0);
    const own = powers.map((power) => power / sum);
    weights.push(own);
    for (let d = 0; d < headWidth; d += 1)
      out.push(
        dot(
          own,
          values.map((value) => part(value)[d]!),
        ),
      );
  }
  return { out, weights };
}

/** The network as its paper has it, in double precision, nothing rounded. */
function reference(
  weights: WhisperDecoderWeights,
  heard: Float32Array,
  positions: number,
  tokens: readonly number[],
): Said {
  const sounds = Array.from({ length: positions }, (_, at) => [...heard.subarray(at * width, (at + 1) * width)]);
  const own = weights.layers.map(() => ({ keys: [] as Row[], values: [] as Row[] }));
  let said: Said = { logits: [], attention: [] };
  for (const [at, token] of tokens.entries()) {
    let x = plus(rowOf(weights.tokens, token, width), weights.vectors.positions.subarray(at * width, (at + 1) * width));
    const looked: Row[][] = [];
    for (const [layer, { matrices: m, vectors: v }] of weights.layers.entries()) {
      const { keys, values } = own[layer]!;
      let y = norm(x, v.selfNormWeight, v.selfNormBias);
      keys.push(times(m.selfKey, y, null));
      values.push(times(m.selfValue, y, v.selfValueBias));
      x = plus(x, times(m.selfOut, attend(times(m.selfQuery, y, v.selfQueryBias), keys, values).out, v.selfOutBias));
      y = norm(x, v.crossNormWeight, v.crossNormBias);
      const crossed = attend(
        times(m.crossQuery, y, v.crossQueryBias),
        sounds.map((sound) => times(m.crossKey, sound, null)),
        sounds.map((sound) => times(m.crossValue, sound, v.crossValueBias)),
      );
      looked.push(crossed.weights);
      x = plus(x, times(m.crossOut, crossed.out, v.crossOutBias));
      y = norm(x, v.feedNormWeight, v.feedNormBias);
      x = plus(x, times(m.feedOut, times(m.feedIn, y, v.feedInBias).map(gelu), v.feedOutBias));
    }
    said = {
      logits: times(weights.tokens, norm(x, weights.vectors.normWeight, weights.vectors.normBias), null),
      attention: heads.flatMap(([layer, head]) => looked[layer]![head]!),
    };
  }
  return said;
}

/** Root mean square of the difference over that of the expected. */
function relativeError(actual: readonly number[], expected: readonly number[]): number {
  expect(actual.length).toBe(expected.length);
  const squares = (x: readonly number[]): number => x.reduce((sum, one) => sum + one * one, 0);
  return Math.sqrt(squares(actual.map((x, index) => x - expected[index]!)) / squares(expected));
}

describe('createWhisperDecoder', () => {
  const seed = 4;
  const weights = smallWeights(seed);
  const packed = packWeights(smallShape, weights);

  it('says what the network in double precision says, but for roundings to 8 bits', () => {
    const { windows, tokens } = smallTask(5, 3);
    const said = say(packed, windows, [tokens]);
    for (const [row, { heard, positions }] of windows.entries()) {
      const expected = reference(weights, heard, positions, tokens[row]!);
      expect(relativeError(said[row]!.logits, expected.logits)).toBeLessThan(0.03);
      expect(relativeError(said[row]!.attention, expected.attention)).toBeLessThan(0.03);
    }
  });

  it('gives the same bits token by token as at once, alone as beside others', () => {
    const { windows, tokens } = smallTask(6, 11);
    const together = say(packed, windows, [tokens]);
    const each = [0, 1, 2, 3, 4].map((at) => tokens.map((list) => [list[at]!]));
    expect(say(packed, windows, each)).toEqual(together);
    for (const [row, window] of windows.entries())
      expect(say(packed, [window], [[tokens[row]!]])[0]).toEqual(together[row]);
  });

  describe('with every instruction set', () => {
    const program = fileURLToPath(new URL('small-decoder.ts', import.meta.url));
    const run = async (choice: string): Promise<{ simd: string; said: Said[] }> => {
      const env = { ...process.env, EARSHOT_SIMD: choice };
      const { stdout } = await promisify(execFile)(process.execPath, [program, 'say'], { env, maxBuffer: 1 << 26 });
      return JSON.parse(stdout) as { simd: string; said: Said[] };
    };

    it('agrees with the plain one', async () => {
      const [best, plain] = [await run(''), await run('scalar')];
      expect(plain.simd).toBe('baseline');
      // What is rounded to 8 bits may fall to the other side.
      for (const [row, said] of best.said.entries()) {
        expect(relativeError(said.logits, plain.said[row]!.logits)).toBeLessThan(5e-3);
        expect(relativeError(said.attention, plain.said[row]!.attention)).toBeLessThan(5e-3);
      }
    });

    it.runIf(process.arch === 'arm64')('gives the very bits of the plain one on arm64', async () => {
      const [best, dotprod, plain] = [await run(''), await run('dotprod'), await run('scalar')];
      expect([best.simd, dotprod.simd]).toEqual(best.simd === 'i8mm' ? ['i8mm', 'dotprod'] : [best.simd, best.simd]);
      expect(best.said).toEqual(plain.said);
      expect(dotprod.said).toEqual(plain.said);
    });
  });

  it('bears what is no number', () => {
    const { windows, tokens } = smallTask(7, 2);
    windows[0]!.heard.fill(NaN, 0, 40).fill(Infinity, 40, 50).fill(1e38, 50, 70);
    const said = say(packed, windows, [tokens]);
    expect(said[1]!.logits.every(Number.isFinite)).toBe(true);
    expect(said[0]!.logits.length).toBe(smallShape.vocabularySize);
  });

  it('refuses what does not fit', () => {
    expect(() => packWeights({ ...smallShape, headWidth: 12 }, weights)).toThrow(TypeError);
    expect(() => packWeights({ ...smallShape, feedWidth: 170 }, weights)).toThrow(TypeError);
    expect(() => packWeights({ ...smallShape, vocabularySize: 78 }, weights)).toThrow(TypeError);
    const kernel = createWhisperDecoder(packed);
    const heard = new Float32Array(10 * width);
    expect(() => kernel.open(heard, 11)).toThrow(TypeError);
    expect(() => kernel.open(heard, 0)).toThrow(TypeError);
    const row = { cross: kernel.open(heard, 10), positions: 10, own: new Float32Array(kernel.ownLength) };
    for (const [rows, tokens, past] of [
      [[row], [[77]], 0],
      [[row], [[-1]], 0],
      [[row], [[0]], 12],
      [[row], [Array<number>(13).fill(0)], 0],
      [[{ ...row, positions: 40 }], [[0]], 0],
      [[{ ...row, own: row.own.subarray(1) }], [[0]], 0],
      [[{ ...row, cross: row.cross.subarray(1) }], [[0]], 0],
      [[], [], 0],
    ] as const)
      expect(() => kernel.step(rows, tokens, past, heads)).toThrow(TypeError);
    expect(() => kernel.step([row], [[0]], 0, [[2, 0]])).toThrow(TypeError);
    expect(kernel.step([row], [[0]], 11, heads).logits.length).toBe(77);
  });
});

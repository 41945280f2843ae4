import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nativeKernels } from '../../../src/library/kernels/load.ts';
import {
  createWhisperDecoder,
  packWeights,
  type WhisperDecoderWeights,
} from '../../../src/library/kernels/whisper-decoder.ts';
import { heads, type Said, say, smallShape, smallTask, smallWeights, width } from './small-decoder.ts';
import { attend as attendTo, gelu, norm, plus, relativeError, type Row, rowOf, times } from './transformer.ts';
import { slow } from '../../fixtures/rounds.ts';

const attend = (query: Row, keys: readonly Row[], values: readonly Row[]): ReturnType<typeof attendTo> =>
  attendTo(query, keys, values, smallShape);

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

describe('createWhisperDecoder', () => {
  const seed = 4;
  const weights = smallWeights(seed);
  const packed = packWeights(smallShape, weights);

  it('says what the network in double precision says, but for roundings to 8 bits', slow, () => {
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

  // test/library/wasm.test.ts compares these with WebAssembly.
  describe.skipIf(nativeKernels().simd === 'wasm')('with every instruction set', () => {
    const program = fileURLToPath(new URL('small-decoder.ts', import.meta.url));
    const run = async (choice: string): Promise<{ simd: string; said: Said[] }> => {
      const env = { ...process.env, EARSHOT_SIMD: choice };
      const { stdout } = await promisify(execFile)(process.execPath, [program, 'say'], { env, maxBuffer: 1 << 26 });
      return JSON.parse(stdout) as { simd: string; said: Said[] };
    };

    it('agrees with the plain one', slow, async () => {
      const [best, plain] = [await run(''), await run('scalar')];
      expect(plain.simd).toBe('baseline');
      // What is rounded to 8 bits may fall to the other side.
      for (const [row, said] of best.said.entries()) {
        expect(relativeError(said.logits, plain.said[row]!.logits)).toBeLessThan(5e-3);
        expect(relativeError(said.attention, plain.said[row]!.attention)).toBeLessThan(5e-3);
      }
    });

    it("gives the very bits of AVX2 with AVX-512's products of 8 bits", slow, async () => {
      const [best, avx2] = [await run(''), await run('avx2')];
      expect(avx2).toEqual(best);
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

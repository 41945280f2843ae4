import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nativeKernels } from '../../../src/library/kernels/load.ts';
import {
  createWhisperEncoder,
  packEncoderWeights,
  type WhisperEncoderWeights,
} from '../../../src/library/kernels/whisper-encoder.ts';
import { positions, smallShape, smallSpectrum, smallWeights, width } from './small-encoder.ts';
import { attend, gelu, norm, plus, relativeError, type Row, times } from './transformer.ts';
import { slow } from '../../fixtures/rounds.ts';

/** A convolution over three neighbours, beyond whose ends there is silence. */
function convolve(rows: readonly Row[], weights: Float32Array, bias: Float32Array, step: number): Row[] {
  const inputs = rows[0]!.length;
  return Array.from({ length: rows.length / step }, (_, at) =>
    Array.from(bias, (start, output) => {
      let sum = start;
      for (let tap = 0; tap < 3; tap += 1) {
        const row = rows[at * step + tap - 1];
        if (!row) continue;
        for (let input = 0; input < inputs; input += 1)
          sum += row[input]! * weights[(output * inputs + input) * 3 + tap]!;
      }
      return sum;
    }),
  );
}

/** The network as its paper has it, in double precision, nothing rounded. */
function reference({ convolutions, layers, vectors: final }: WhisperEncoderWeights, spectrum: Float32Array): Row {
  const { bands } = smallShape;
  const frames = spectrum.length / bands;
  const sound = Array.from({ length: frames }, (_, frame) =>
    Array.from({ length: bands }, (__, band) => spectrum[band * frames + frame]!),
  );
  const first = convolve(sound, convolutions[0], final.firstBias, 1).map((row) => row.map(gelu));
  const second = convolve(first, convolutions[1], final.secondBias, 2).map((row) => row.map(gelu));
  let stream = second.map((row, at) => plus(row, final.positions.subarray(at * width, (at + 1) * width)));
  for (const { matrices: m, vectors: v } of layers) {
    const normed = stream.map((row) => norm(row, v.selfNormWeight, v.selfNormBias));
    const keys = normed.map((row) => times(m.selfKey, row, null));
    const values = normed.map((row) => times(m.selfValue, row, v.selfValueBias));
    stream = stream.map((row, at) => {
      const { out } = attend(times(m.selfQuery, normed[at]!, v.selfQueryBias), keys, values, smallShape);
      const attended = plus(row, times(m.selfOut, out, v.selfOutBias));
      const y = norm(attended, v.feedNormWeight, v.feedNormBias);
      return plus(attended, times(m.feedOut, times(m.feedIn, y, v.feedInBias).map(gelu), v.feedOutBias));
    });
  }
  return stream.flatMap((row) => norm(row, final.normWeight, final.normBias));
}

describe('createWhisperEncoder', () => {
  const weights = smallWeights(4);
  const packed = packEncoderWeights(smallShape, weights);

  it('hears what the network in double precision hears, but for roundings to 8 bits', slow, () => {
    const heard = createWhisperEncoder(packed).encode(smallSpectrum(5));
    expect(heard.length).toBe(positions * width);
    expect(relativeError([...heard], reference(weights, smallSpectrum(5)))).toBeLessThan(0.02);
  });

  it.each([2, 120, 146, 200])(
    'hears the first %i frames of a window as the network that has no more',
    slow,
    (frames) => {
      const whole = smallSpectrum(5);
      const begin = Float32Array.from({ length: smallShape.bands * frames }, (_, i) =>
        Number(whole[Math.floor(i / frames) * smallShape.frames + (i % frames)]),
      );
      const heard = createWhisperEncoder(packed).encode(begin);
      expect(heard.length).toBe((frames / 2) * width);
      expect(relativeError([...heard], reference(weights, begin))).toBeLessThan(0.02);
    },
  );

  it('hears the same again, whatever it heard before', () => {
    const kernel = createWhisperEncoder(packed);
    const first = kernel.encode(smallSpectrum(6));
    kernel.encode(smallSpectrum(7));
    expect(kernel.encode(smallSpectrum(6))).toEqual(first);
  });

  // test/library/wasm.test.ts compares these with WebAssembly.
  it.skipIf(nativeKernels().simd === 'wasm')('agrees with plain instructions', slow, async () => {
    const program = fileURLToPath(new URL('small-encoder.ts', import.meta.url));
    const run = async (choice: string): Promise<{ simd: string; heard: number[] }> => {
      const env = { ...process.env, EARSHOT_SIMD: choice };
      const { stdout } = await promisify(execFile)(process.execPath, [program, 'hear'], { env, maxBuffer: 1 << 26 });
      return JSON.parse(stdout) as { simd: string; heard: number[] };
    };
    const [best, plain] = [await run(''), await run('scalar')];
    expect(plain.simd).toBe('baseline');
    // What is rounded to 8 bits may fall to the other side.
    expect(relativeError(best.heard, plain.heard)).toBeLessThan(5e-3);
  });

  it('bears what is no number', () => {
    const spectrum = smallSpectrum(8);
    spectrum.fill(NaN, 0, 40).fill(Infinity, 40, 50);
    expect(createWhisperEncoder(packed).encode(spectrum).length).toBe(positions * width);
  });

  it('refuses what does not fit', () => {
    for (const wrong of [{ headWidth: 24 }, { feedWidth: 170 }, { frames: 201 }, { bands: 0 }, { layers: 3 }])
      expect(() => packEncoderWeights({ ...smallShape, ...wrong }, weights)).toThrow(TypeError);
    const kernel = createWhisperEncoder(packed);
    const { bands, frames } = smallShape;
    for (const length of [0, bands, 3 * bands, bands * frames - 1, bands * (frames + 2)])
      expect(() => kernel.encode(new Float32Array(length))).toThrow(TypeError);
    expect(() =>
      createWhisperEncoder({ ...packed, bytes: new SharedArrayBuffer(packed.bytes.byteLength - 1) }).encode(
        smallSpectrum(5),
      ),
    ).toThrow(TypeError);
  });
});

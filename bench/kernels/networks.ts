// The kernels that compute networks, at the sizes that they have: RNNoise, and the products of 8 bits of Whisper base
// with weights of chance.
import { openRnnoiseNetwork } from '../../src/library/dsp/denoise/rnnoise/open-rnnoise.ts';
import { createRnnoise, rnnoiseFrame } from '../../src/library/kernels/rnnoise.ts';
import {
  createWhisperDecoder,
  finalVectors,
  layerMatrices,
  layerVectors,
  packWeights,
  type Q8Matrix,
} from '../../src/library/kernels/whisper-decoder.ts';
import {
  createWhisperEncoder,
  encoderFinalVectors,
  encoderMatrices,
  encoderVectors,
  packEncoderWeights,
} from '../../src/library/kernels/whisper-encoder.ts';

/** Of Whisper base. */
const shape = { layers: 6, heads: 8, headWidth: 64, feedWidth: 2048 };
const width = shape.heads * shape.headWidth;
const bands = 80;
const frames = 3000;
const vocabularySize = 51_865;
const mostTokens = 448;

let state = 1;
const chance = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
const noise = (length: number, scale: number): Float32Array =>
  Float32Array.from({ length }, () => scale * (chance() - 0.5));
const matrix = (rows: number, columns: number): Q8Matrix => ({
  table: Uint8Array.from({ length: rows * columns }, () => 256 * chance()),
  scales: new Float32Array((rows * columns) / 32).fill(1 / (74 * Math.sqrt(columns))),
});
const record = <Name extends string, Value>(names: readonly Name[], of: (name: Name) => Value): Record<Name, Value> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>;
const ofLayer = (name: string): Q8Matrix =>
  matrix(name === 'feedIn' ? shape.feedWidth : width, name === 'feedOut' ? shape.feedWidth : width);
const ofVector = (name: string): Float32Array => noise(name === 'feedInBias' ? shape.feedWidth : width, 0.5);
const layersOf = <Matrix extends string, Vector extends string>(
  matrices: readonly Matrix[],
  vectors: readonly Vector[],
): { matrices: Record<Matrix, Q8Matrix>; vectors: Record<Vector, Float32Array> }[] =>
  Array.from({ length: shape.layers }, () => ({
    matrices: record(matrices, ofLayer),
    vectors: record(vectors, ofVector),
  }));

/** The encoder's products, for a window of 30 s: seconds of work in a call. */
function encoding(): () => unknown {
  const kernel = createWhisperEncoder(
    packEncoderWeights(
      { ...shape, bands, frames },
      {
        layers: layersOf(encoderMatrices, encoderVectors),
        vectors: record(encoderFinalVectors, (name) => noise(name === 'positions' ? (frames / 2) * width : width, 0.5)),
        convolutions: [noise(3 * width * bands, 0.1), noise(3 * width * width, 0.1)],
      },
    ),
  );
  const spectrum = noise(bands * frames, 1);
  return () => kernel.encode(spectrum);
}

/** The decoder's, for one token of a window, the hundredth. */
function decoding(): () => unknown {
  const kernel = createWhisperDecoder(
    packWeights(
      { ...shape, vocabularySize, mostTokens },
      {
        layers: layersOf(layerMatrices, layerVectors),
        tokens: matrix(vocabularySize, width),
        vectors: record(finalVectors, (name) => noise(name === 'positions' ? mostTokens * width : width, 0.5)),
      },
    ),
  );
  const positions = frames / 2;
  const row = {
    cross: kernel.open(noise(positions * width, 1), positions),
    positions,
    own: new Float32Array(kernel.ownLength),
  };
  return () => kernel.step([row], [[1]], 100, []);
}

/** A second of noise through RNNoise. */
function suppressing(): () => unknown {
  const rnnoise = createRnnoise(openRnnoiseNetwork());
  const [sound, out, voice] = [
    noise(100 * rnnoiseFrame, 0.1),
    new Float32Array(100 * rnnoiseFrame),
    new Float32Array(100),
  ];
  return () => rnnoise.process(sound, 100, out, voice);
}

/** What is timed as a whole, by name: milliseconds of a call. */
export const networks: Readonly<Record<string, () => () => unknown>> = {
  'RNNoise, 1 s': suppressing,
  'Whisper base, encoder, 30 s': encoding,
  'Whisper base, decoder, a token': decoding,
};

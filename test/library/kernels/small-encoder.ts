// A small Whisper encoder with random weights; as a program it prints what it hears, for another instruction set.
import { nativeKernels } from '../../../src/library/kernels/load.ts';
import {
  createWhisperEncoder,
  encoderFinalVectors,
  encoderMatrices,
  encoderVectors,
  packEncoderWeights,
  type WhisperEncoderShape,
  type WhisperEncoderWeights,
} from '../../../src/library/kernels/whisper-encoder.ts';
import { record } from '../../../src/library/speech/recognise/whisper/stored-weights.ts';
import { gaussians, matrix } from './small-decoder.ts';
import { seeded } from './signals.ts';

/** Widths and a number of positions that are no multiples of the kernel's own blocks, but of what it asks for. */
export const smallShape: WhisperEncoderShape = {
  bands: 7,
  frames: 2 * 101,
  layers: 2,
  heads: 3,
  headWidth: 32,
  feedWidth: 160,
};
export const width = smallShape.heads * smallShape.headWidth;
export const positions = smallShape.frames / 2;

export function smallWeights(seed: number): WhisperEncoderWeights {
  const random = seeded(seed);
  const { layers, feedWidth, bands } = smallShape;
  const length = (name: string): number =>
    name === 'feedInBias' ? feedWidth : name === 'positions' ? positions * width : width;
  const vector = (name: string): Float32Array =>
    name.toLowerCase().endsWith('normweight')
      ? gaussians(random, width, 0.1).map((x) => 1 + x)
      : gaussians(random, length(name), 0.3);
  const convolution = (inputs: number): Float32Array =>
    gaussians(random, width * inputs * 3, 1 / Math.sqrt(3 * inputs));
  return {
    layers: Array.from({ length: layers }, () => ({
      matrices: record(encoderMatrices, (name) =>
        matrix(random, name === 'feedIn' ? feedWidth : width, name === 'feedOut' ? feedWidth : width),
      ),
      vectors: record(encoderVectors, vector),
    })),
    vectors: record(encoderFinalVectors, vector),
    convolutions: [convolution(bands), convolution(width)],
  };
}

export const smallSpectrum = (seed: number): Float32Array =>
  gaussians(seeded(seed), smallShape.bands * smallShape.frames);

if (process.argv[2] === 'hear') {
  const heard = createWhisperEncoder(packEncoderWeights(smallShape, smallWeights(4))).encode(smallSpectrum(5));
  console.log(JSON.stringify({ simd: nativeKernels().simd, heard: [...heard] }));
}

import { nativeKernels } from './load.ts';
import { weightMemory } from './weight-memory.ts';
import type { Q8Matrix } from './whisper-decoder.ts';

export interface WhisperEncoderShape {
  /** Of the log-mel spectrum. */
  readonly bands: number;
  /** Of the log-mel spectrum; even. */
  readonly frames: number;
  readonly layers: number;
  readonly heads: number;
  /** A multiple of 16; times `heads`, of 32. */
  readonly headWidth: number;
  /** Of the feed-forward layers; a multiple of 32. */
  readonly feedWidth: number;
}

/** Each layer's matrices and vectors in the kernel's order, named as the decoder's; keys have no bias. */
export const encoderMatrices = ['selfQuery', 'selfKey', 'selfValue', 'selfOut', 'feedIn', 'feedOut'] as const;
export const encoderVectors = [
  'selfNormWeight',
  'selfNormBias',
  'selfQueryBias',
  'selfValueBias',
  'selfOutBias',
  'feedNormWeight',
  'feedNormBias',
  'feedInBias',
  'feedOutBias',
] as const;
export const encoderFinalVectors = ['normWeight', 'normBias', 'positions', 'firstBias', 'secondBias'] as const;

export interface WhisperEncoderWeights {
  readonly layers: readonly {
    readonly matrices: Readonly<Record<(typeof encoderMatrices)[number], Q8Matrix>>;
    readonly vectors: Readonly<Record<(typeof encoderVectors)[number], Float32Array>>;
  }[];
  readonly vectors: Readonly<Record<(typeof encoderFinalVectors)[number], Float32Array>>;
  /** Weights of the two convolutions, [width][inputs][3]. */
  readonly convolutions: readonly [Float32Array, Float32Array];
}

/** Weights in the kernel's format: for any encoders of that shape, on any threads. */
export interface PackedEncoderWeights {
  readonly shape: WhisperEncoderShape;
  readonly bytes: SharedArrayBuffer;
}

export interface WhisperEncoderKernel {
  /**
   * Of a whole window, or of its begin alone, which costs as much less: attention is then paid to that alone.
   * @param spectrum log-mel, [bands][frames]; `frames` even, at most the shape's
   * @returns [frames / 2][width]
   * @throws TypeError for another number of frames
   */
  encode(spectrum: Float32Array): Float32Array<ArrayBuffer>;
}

const create = (shape: WhisperEncoderShape): ReturnType<ReturnType<typeof nativeKernels>['whisperEncoderCreate']> =>
  nativeKernels().whisperEncoderCreate(
    shape.bands,
    shape.frames,
    shape.layers,
    shape.heads,
    shape.headWidth,
    shape.feedWidth,
  );

/** @throws TypeError when a matrix or vector is smaller than the shape requires, or layers are missing */
export function packEncoderWeights(shape: WhisperEncoderShape, weights: WhisperEncoderWeights): PackedEncoderWeights {
  if (weights.layers.length !== shape.layers)
    throw new TypeError(`Expected weights of ${shape.layers} layers but received ${weights.layers.length}`);
  const native = nativeKernels();
  const handle = create(shape);
  const bytes = weightMemory(native.whisperEncoderWeightBytes(handle));
  const into = new Uint8Array(bytes);
  let [matrix, vector] = [0, 0];
  const setVector = (values: Float32Array): void => native.whisperEncoderSetVector(handle, into, vector++, values);
  for (const layer of weights.layers) {
    for (const name of encoderMatrices) {
      const { table, scales } = layer.matrices[name];
      native.whisperEncoderSetMatrix(handle, into, matrix++, table, scales);
    }
    for (const name of encoderVectors) setVector(layer.vectors[name]);
  }
  for (const name of encoderFinalVectors) setVector(weights.vectors[name]);
  for (const [index, values] of weights.convolutions.entries())
    native.whisperEncoderSetConvolution(handle, into, index, values);
  return { shape, bytes };
}

/**
 * The encoder of a Whisper (Radford et al. 2022) with weights of 8 bits in blocks of 32; inputs of matrices are also
 * rounded to 8 bits in blocks. Convolutions and attention are computed in float32.
 * @throws TypeError on a bad shape
 */
export function createWhisperEncoder({ shape, bytes }: PackedEncoderWeights): WhisperEncoderKernel {
  const native = nativeKernels();
  const handle = create(shape);
  const weights = new Uint8Array(bytes);
  return {
    encode(spectrum) {
      const frames = spectrum.length / shape.bands;
      if (!Number.isInteger(frames / 2))
        throw new TypeError(`Expected an even number of frames of ${shape.bands} bands but received ${frames}`);
      const out = new Float32Array((frames / 2) * shape.heads * shape.headWidth);
      native.whisperEncoderEncode(handle, weights, spectrum, frames, out);
      return out;
    },
  };
}

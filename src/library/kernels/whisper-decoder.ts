import { nativeKernels } from './load.ts';
import { weightMemory } from './weight-memory.ts';

export interface WhisperDecoderShape {
  readonly layers: number;
  readonly heads: number;
  /** A multiple of 8; times `heads`, of 32. */
  readonly headWidth: number;
  /** Of the feed-forward layers; a multiple of 32. */
  readonly feedWidth: number;
  readonly vocabularySize: number;
  readonly mostTokens: number;
}

/** Each layer's matrices and vectors in the kernel's order; keys have no bias. */
export const layerMatrices = [
  'selfQuery',
  'selfKey',
  'selfValue',
  'selfOut',
  'crossQuery',
  'crossKey',
  'crossValue',
  'crossOut',
  'feedIn',
  'feedOut',
] as const;
export const layerVectors = [
  'selfNormWeight',
  'selfNormBias',
  'selfQueryBias',
  'selfValueBias',
  'selfOutBias',
  'crossNormWeight',
  'crossNormBias',
  'crossQueryBias',
  'crossValueBias',
  'crossOutBias',
  'feedNormWeight',
  'feedNormBias',
  'feedInBias',
  'feedOutBias',
] as const;
export const finalVectors = ['normWeight', 'normBias', 'positions'] as const;

/** A matrix of 8 bits, [outputs][inputs], 128 for 0; a scale for every 32 inputs of an output. */
export interface Q8Matrix {
  readonly table: Uint8Array;
  readonly scales: Float32Array;
}

export interface WhisperDecoderWeights {
  readonly layers: readonly {
    readonly matrices: Readonly<Record<(typeof layerMatrices)[number], Q8Matrix>>;
    readonly vectors: Readonly<Record<(typeof layerVectors)[number], Float32Array>>;
  }[];
  readonly vectors: Readonly<Record<(typeof finalVectors)[number], Float32Array>>;
  /** [vocabulary][width]: for input tokens and output logits. */
  readonly tokens: Q8Matrix;
}

/** Weights in the kernel's format: for any decoders of that shape, on any threads. */
export interface PackedWeights {
  readonly shape: WhisperDecoderShape;
  readonly bytes: SharedArrayBuffer;
}

/** A window being decoded. */
export interface DecodedRow {
  /** Made by `open`. */
  readonly cross: Float32Array;
  /** Of the encoder, 0.02 s each. */
  readonly positions: number;
  /** Keys and values of its tokens: `ownLength` elements, zeros at first. */
  readonly own: Float32Array;
}

export interface WhisperDecoderKernel {
  readonly ownLength: number;
  /** Cross keys and values of an encoder's output, [positions][width], in 8 bits. */
  open(heard: Float32Array, positions: number): Float32Array<ArrayBuffer>;
  /**
   * Continues some windows in parallel. A window's result does not depend on the others.
   * @param tokens one list per row, all of the same length
   * @param past number of earlier tokens
   * @param heads [layer, head] whose attention is wanted
   * @param memory of earlier steps, which this one may write over; it keeps what is enough for its rows
   * @returns logits after the last token, by row; attention at the last token, for each row and head the positions
   */
  step(
    rows: readonly DecodedRow[],
    tokens: readonly (readonly number[])[],
    past: number,
    heads: readonly (readonly [number, number])[],
    memory?: StepMemory,
  ): { readonly logits: Float32Array<ArrayBuffer>; readonly attention: readonly Float32Array[] };
}

/** Results of steps: new memory for each would have V8 collect garbage every few of them. */
export interface StepMemory {
  logits: Float32Array<ArrayBuffer>;
  attention: Float32Array<ArrayBuffer>;
}

export const stepMemory = (): StepMemory => ({ logits: new Float32Array(0), attention: new Float32Array(0) });

const create = (shape: WhisperDecoderShape): ReturnType<ReturnType<typeof nativeKernels>['whisperDecoderCreate']> =>
  nativeKernels().whisperDecoderCreate(
    shape.layers,
    shape.heads,
    shape.headWidth,
    shape.feedWidth,
    shape.vocabularySize,
    shape.mostTokens,
  );

const atLeast = (memory: Float32Array<ArrayBuffer>, length: number): Float32Array<ArrayBuffer> =>
  memory.length < length ? new Float32Array(length) : memory;

/** @throws TypeError when a matrix or vector is smaller than the shape requires */
export function packWeights(shape: WhisperDecoderShape, weights: WhisperDecoderWeights): PackedWeights {
  const native = nativeKernels();
  const handle = create(shape);
  const bytes = weightMemory(native.whisperDecoderSizes(handle).weightBytes);
  const into = new Uint8Array(bytes);
  let [matrix, vector] = [0, 0];
  const setMatrix = ({ table, scales }: Q8Matrix): void =>
    native.whisperDecoderSetMatrix(handle, into, matrix++, table, scales);
  const setVector = (values: Float32Array): void => native.whisperDecoderSetVector(handle, into, vector++, values);
  for (const layer of weights.layers) {
    for (const name of layerMatrices) setMatrix(layer.matrices[name]);
    for (const name of layerVectors) setVector(layer.vectors[name]);
  }
  setMatrix(weights.tokens);
  for (const name of finalVectors) setVector(weights.vectors[name]);
  return { shape, bytes };
}

/**
 * The decoder of a Whisper (Radford et al. 2022) with weights of 8 bits in blocks of 32; inputs of matrices are also
 * rounded to 8 bits in blocks, and cross keys and values to 8 bits per position and head.
 * @throws TypeError on a bad shape
 */
export function createWhisperDecoder({ shape, bytes }: PackedWeights): WhisperDecoderKernel {
  const native = nativeKernels();
  const handle = create(shape);
  const weights = new Uint8Array(bytes);
  const { ownLength } = native.whisperDecoderSizes(handle);
  return {
    ownLength,
    open(heard, positions) {
      const cross = new Float32Array(native.whisperDecoderCrossLength(handle, positions));
      native.whisperDecoderOpen(handle, weights, heard, positions, cross);
      return cross;
    },
    step(rows, tokens, past, heads, memory = stepMemory()) {
      const lengths = rows.map(({ positions }) => positions * heads.length);
      memory.logits = atLeast(memory.logits, rows.length * shape.vocabularySize);
      memory.attention = atLeast(
        memory.attention,
        lengths.reduce((sum, length) => sum + length, 0),
      );
      const { logits, attention } = memory;
      native.whisperDecoderStep(
        handle,
        weights,
        rows.length,
        tokens[0]?.length ?? 0,
        past,
        Int32Array.from(tokens.flat()),
        Int32Array.from(rows, ({ positions }) => positions),
        rows.map(({ cross }) => cross),
        rows.map(({ own }) => own),
        Int32Array.from(heads.flat()),
        logits,
        attention,
      );
      let at = 0;
      return {
        logits: logits.subarray(0, rows.length * shape.vocabularySize),
        attention: lengths.map((length) => attention.subarray(at, (at += length))),
      };
    },
  };
}

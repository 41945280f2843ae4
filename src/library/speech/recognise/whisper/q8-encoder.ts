// Reads the weights of a Whisper encoder that are 8 bits (models/make).
import { freeFile } from '../../../core/free-buffer.ts';
import { readFile, stat } from 'node:fs/promises';
import { nativeKernels } from '../../../kernels/load.ts';
import {
  encoderMatrices,
  encoderVectors,
  packEncoderWeights,
  type PackedEncoderWeights,
  type WhisperEncoderShape,
  type WhisperEncoderWeights,
} from '../../../kernels/whisper-encoder.ts';
import type { WhisperLayout } from './layout.ts';
import { blockSize, matrixNames, record, sizeOf, storedWeights, vectorNames } from './stored-weights.ts';

/** Larger ones also have their weights in a separate file, or are not of 8 bits: they are not read into memory here. */
export const mostEncoderBytes = 128 * 2 ** 20;

/** null when the encoder is not 8 bits with the names of the hub's exports. */
function findWeights(
  file: Uint8Array,
  { bands, frames, layers, heads, headWidth, feedWidth }: WhisperEncoderShape,
): WhisperEncoderWeights | null {
  const stored = storedWeights(file);
  const width = heads * headWidth;
  const weights: WhisperEncoderWeights = {
    layers: Array.from({ length: layers }, (_, layer) => ({
      matrices: record(encoderMatrices, (name) =>
        stored.matrix(`/layers.${layer}/${matrixNames[name]}/MatMul`, ...sizeOf(name, width, feedWidth)),
      ),
      vectors: record(encoderVectors, (name) =>
        stored.vector(name === 'feedInBias' ? feedWidth : width, `layers.${layer}.${vectorNames[name]}`),
      ),
    })),
    convolutions: [stored.vector(3 * width * bands, 'conv1.weight'), stored.vector(3 * width * width, 'conv2.weight')],
    vectors: {
      normWeight: stored.vector(width, 'layer_norm.weight'),
      normBias: stored.vector(width, 'layer_norm.bias'),
      // A constant of the graph, whose name the exporter counts.
      positions: stored.input((frames / 2) * width, '/Add_2', 1),
      firstBias: stored.vector(width, 'conv1.bias'),
      secondBias: stored.vector(width, 'conv2.bias'),
    },
  };
  return stored.complete() ? weights : null;
}

/**
 * An encoder's weights in the kernel's format. null when ONNX Runtime must run it: other precisions, or processors
 * without AVX2 that have an addon. On arm64 the kernel was not measured beside ONNX Runtime.
 */
export async function packedEncoder(layout: WhisperLayout): Promise<PackedEncoderWeights | null> {
  const { bands, frames, isUsual, encoder, encoderPath } = layout;
  if (!['avx2', 'wasm'].includes(nativeKernels().simd) || !isUsual || encoder === null) return null;
  const { layers, heads, feedWidth } = encoder;
  const headWidth = (layout.heads * layout.headWidth) / heads;
  if (headWidth % 16 !== 0 || (heads * headWidth) % blockSize !== 0 || feedWidth % blockSize !== 0) return null;
  if ((await stat(encoderPath)).size > mostEncoderBytes) return null;
  const file = await readFile(encoderPath);
  const shape = { bands, frames, layers, heads, headWidth, feedWidth };
  const weights = findWeights(file, shape);
  const packed = weights && packEncoderWeights(shape, weights);
  freeFile(file);
  return packed;
}

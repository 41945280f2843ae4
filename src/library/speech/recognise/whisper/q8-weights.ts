// Reads the weights of a Whisper decoder that are 8 bits in blocks of 32 (models/make).
import { freeFile } from '../../../core/free-buffer.ts';
import { readFile } from 'node:fs/promises';
import { nativeKernels } from '../../../kernels/load.ts';
import {
  layerMatrices,
  layerVectors,
  packWeights,
  type PackedWeights,
  type WhisperDecoderShape,
  type WhisperDecoderWeights,
} from '../../../kernels/whisper-decoder.ts';
import type { WhisperLayout } from './layout.ts';
import { blockSize, matrixNames, record, sizeOf, storedWeights, vectorNames } from './stored-weights.ts';

/** null when the decoder is not 8 bits in blocks of 32 with the names of the hub's exports. */
function findWeights(
  file: Uint8Array,
  { layers, heads, headWidth, feedWidth, vocabularySize, mostTokens }: WhisperDecoderShape,
): WhisperDecoderWeights | null {
  const stored = storedWeights(file);
  const width = heads * headWidth;
  // Exporters that merge two graphs into one file use the second name for what they share.
  const vector = (length: number, name: string): Float32Array => stored.vector(length, name, `${name}_merged_0`);
  const weights: WhisperDecoderWeights = {
    layers: Array.from({ length: layers }, (_, layer) => ({
      matrices: record(layerMatrices, (name) =>
        stored.matrix(`/model/decoder/layers.${layer}/${matrixNames[name]}/MatMul`, ...sizeOf(name, width, feedWidth)),
      ),
      vectors: record(layerVectors, (name) =>
        vector(name === 'feedInBias' ? feedWidth : width, `model.decoder.layers.${layer}.${vectorNames[name]}`),
      ),
    })),
    tokens: stored.matrix('/proj_out/MatMul', vocabularySize, width),
    vectors: {
      normWeight: vector(width, 'model.decoder.layer_norm.weight'),
      normBias: vector(width, 'model.decoder.layer_norm.bias'),
      positions: vector(mostTokens * width, 'model.decoder.embed_positions.weight'),
    },
  };
  return stored.complete() ? weights : null;
}

const packed = new Map<string, Promise<PackedWeights | null>>();

async function pack(layout: WhisperLayout): Promise<PackedWeights | null> {
  const { layers, heads, headWidth, feedWidth, vocabularySize, mostTokens, isUsual } = layout;
  if (nativeKernels().simd === 'baseline') return null;
  if (!isUsual || headWidth % 8 !== 0 || (heads * headWidth) % blockSize !== 0 || feedWidth % blockSize !== 0)
    return null;
  const file = await readFile(layout.decoderPath);
  const shape = { layers, heads, headWidth, feedWidth, vocabularySize, mostTokens };
  const weights = findWeights(file, shape);
  const packed = weights && packWeights(shape, weights);
  freeFile(file);
  return packed;
}

/**
 * A decoder's weights in the kernel's format, loaded once per process and shared by threads. null when ONNX Runtime
 * must run it: other precisions, or processors without a kernel.
 */
export function sharedWeights(layout: WhisperLayout): Promise<PackedWeights | null> {
  const known = packed.get(layout.decoderPath);
  if (known) return known;
  const made = pack(layout);
  made.catch(() => packed.delete(layout.decoderPath));
  packed.set(layout.decoderPath, made);
  return made;
}

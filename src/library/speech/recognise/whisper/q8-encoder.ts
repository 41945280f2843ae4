// Reads the weights of a Whisper encoder that are 8 bits (models/make).
import { readFile } from 'node:fs/promises';
import { nativeKernels } from '../../../kernels/load.ts';
import {
  encoderMatrices,
  encoderVectors,
  packEncoderWeights,
  type PackedEncoderWeights,
  type WhisperEncoderWeights,
} from '../../../kernels/whisper-encoder.ts';
import { freeFile } from './decoder.ts';
import type { WhisperLayout } from './layout.ts';
import { blockSize, record, storedWeights } from './stored-weights.ts';

/** Names in the files of the hub's onnx-community. */
const matrixNames: Readonly<Record<(typeof encoderMatrices)[number], string>> = {
  query: 'self_attn/q_proj',
  key: 'self_attn/k_proj',
  value: 'self_attn/v_proj',
  out: 'self_attn/out_proj',
  feedIn: 'fc1',
  feedOut: 'fc2',
};
const vectorNames: Readonly<Record<(typeof encoderVectors)[number], string>> = {
  attentionNormWeight: 'self_attn_layer_norm.weight',
  attentionNormBias: 'self_attn_layer_norm.bias',
  queryBias: 'self_attn.q_proj.bias',
  valueBias: 'self_attn.v_proj.bias',
  outBias: 'self_attn.out_proj.bias',
  feedNormWeight: 'final_layer_norm.weight',
  feedNormBias: 'final_layer_norm.bias',
  feedInBias: 'fc1.bias',
  feedOutBias: 'fc2.bias',
};

/** null when the encoder is not 8 bits with the names of the hub's exports. */
function findWeights(file: Uint8Array, layers: number): WhisperEncoderWeights | null {
  const stored = storedWeights(file);
  const weights: WhisperEncoderWeights = {
    layers: Array.from({ length: layers }, (_, layer) => ({
      matrices: record(encoderMatrices, (name) => stored.matrix(`/layers.${layer}/${matrixNames[name]}/MatMul`)),
      vectors: record(encoderVectors, (name) => stored.vector(`layers.${layer}.${vectorNames[name]}`)),
    })),
    convolutions: [stored.vector('conv1.weight'), stored.vector('conv2.weight')],
    vectors: {
      normWeight: stored.vector('layer_norm.weight'),
      normBias: stored.vector('layer_norm.bias'),
      // A constant of the graph, whose name the exporter counts.
      positions: stored.input('/Add_2', 1),
      firstBias: stored.vector('conv1.bias'),
      secondBias: stored.vector('conv2.bias'),
    },
  };
  return stored.complete() ? weights : null;
}

/**
 * An encoder's weights in the kernel's format. null when ONNX Runtime must run it: other precisions, or processors
 * without AVX2. On arm64 the kernel was not measured beside ONNX Runtime.
 */
export async function packedEncoder(layout: WhisperLayout): Promise<PackedEncoderWeights | null> {
  const { bands, frames, heads: decoderHeads, headWidth: decoderHeadWidth, isUsual } = layout;
  const { layers, heads, feedWidth } = layout.encoder;
  const headWidth = (decoderHeads * decoderHeadWidth) / heads;
  if (nativeKernels().simd !== 'avx2' || !isUsual) return null;
  if (headWidth % 16 !== 0 || (heads * headWidth) % blockSize !== 0 || feedWidth % blockSize !== 0) return null;
  const file = await readFile(layout.encoderPath);
  const weights = findWeights(file, layers);
  const packed = weights && packEncoderWeights({ bands, frames, layers, heads, headWidth, feedWidth }, weights);
  freeFile(file);
  return packed;
}

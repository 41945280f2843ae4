// Reads the weights of a Whisper decoder that are 8 bits in blocks of 32 (models/make).
import { readFile } from 'node:fs/promises';
import { nativeKernels } from '../../../kernels/load.ts';
import {
  layerMatrices,
  layerVectors,
  packWeights,
  type PackedWeights,
  type Q8Matrix,
  type WhisperDecoderWeights,
} from '../../../kernels/whisper-decoder.ts';
import { freeFile } from './decoder.ts';
import type { WhisperLayout } from './layout.ts';
import { blockSize, record, storedWeights } from './stored-weights.ts';

/** Names in the files of the hub's onnx-community. */
const matrixNames: Readonly<Record<(typeof layerMatrices)[number], string>> = {
  selfQuery: 'self_attn/q_proj',
  selfKey: 'self_attn/k_proj',
  selfValue: 'self_attn/v_proj',
  selfOut: 'self_attn/out_proj',
  crossQuery: 'encoder_attn/q_proj',
  crossKey: 'encoder_attn/k_proj',
  crossValue: 'encoder_attn/v_proj',
  crossOut: 'encoder_attn/out_proj',
  feedIn: 'fc1',
  feedOut: 'fc2',
};
const vectorNames: Readonly<Record<(typeof layerVectors)[number], string>> = {
  selfNormWeight: 'self_attn_layer_norm.weight',
  selfNormBias: 'self_attn_layer_norm.bias',
  selfQueryBias: 'self_attn.q_proj.bias',
  selfValueBias: 'self_attn.v_proj.bias',
  selfOutBias: 'self_attn.out_proj.bias',
  crossNormWeight: 'encoder_attn_layer_norm.weight',
  crossNormBias: 'encoder_attn_layer_norm.bias',
  crossQueryBias: 'encoder_attn.q_proj.bias',
  crossValueBias: 'encoder_attn.v_proj.bias',
  crossOutBias: 'encoder_attn.out_proj.bias',
  feedNormWeight: 'final_layer_norm.weight',
  feedNormBias: 'final_layer_norm.bias',
  feedInBias: 'fc1.bias',
  feedOutBias: 'fc2.bias',
};

/** null when the decoder is not 8 bits in blocks of 32 with the names of the hub's exports. */
function findWeights(file: Uint8Array, layers: number): WhisperDecoderWeights | null {
  const stored = storedWeights(file);
  const matrix = (name: string): Q8Matrix => stored.matrix(`${name}/MatMul`);
  // Exporters that merge two graphs into one file use the second name for what they share.
  const vector = (name: string): Float32Array => stored.vector(name, `${name}_merged_0`);
  const weights: WhisperDecoderWeights = {
    layers: Array.from({ length: layers }, (_, layer) => ({
      matrices: record(layerMatrices, (name) => matrix(`/model/decoder/layers.${layer}/${matrixNames[name]}`)),
      vectors: record(layerVectors, (name) => vector(`model.decoder.layers.${layer}.${vectorNames[name]}`)),
    })),
    tokens: matrix('/proj_out'),
    vectors: {
      normWeight: vector('model.decoder.layer_norm.weight'),
      normBias: vector('model.decoder.layer_norm.bias'),
      positions: vector('model.decoder.embed_positions.weight'),
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
  const weights = findWeights(file, layers);
  const packed = weights && packWeights({ layers, heads, headWidth, feedWidth, vocabularySize, mostTokens }, weights);
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

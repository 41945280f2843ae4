// Weights of 8 bits in an ONNX file, for kernels that compute in blocks of 32.
import type { layerMatrices, layerVectors, Q8Matrix } from '../../../kernels/whisper-decoder.ts';
import { readWeights, type StoredTensor } from '../../../models/onnx-weights.ts';

/** Weights that share a scale. */
export const blockSize = 32;
/** TensorProto.DataType. */
const [float32, int8] = [1, 3];
/** What means 0 in a table of bytes. */
const middle = 128;

/** A copy, since floats in a file may be unaligned. */
const floats = ({ bytes }: StoredTensor): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);

/** Names of a layer's weights in the files of the hub's onnx-community; encoders have those of the decoder. */
export const matrixNames: Readonly<Record<(typeof layerMatrices)[number], string>> = {
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
export const vectorNames: Readonly<Record<(typeof layerVectors)[number], string>> = {
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

/** Looks weights up by name. What is missing, of another size or stored otherwise is empty, and remembered. */
export interface StoredWeights {
  /** @param names float32; the first that there is */
  vector(length: number, ...names: string[]): Float32Array;
  /** The float32 input of a node. */
  input(length: number, node: string, index: number): Float32Array;
  /** The matrix of a product: `MatMulNBits`, or `MatMulInteger` with a scale for each output. */
  matrix(product: string, outputs: number, inputs: number): Q8Matrix;
  /** Was everything found so far? */
  complete(): boolean;
}

/** From a scale for each output, [inputs][outputs], to a scale for each block of an output. */
function inBlocks({ bytes }: StoredTensor, outputScales: Float32Array, inputs: number, outputs: number): Q8Matrix {
  const table = new Uint8Array(inputs * outputs);
  const blocks = inputs / blockSize;
  const scales = new Float32Array(outputs * blocks);
  for (let output = 0; output < outputs; output += 1) {
    scales.fill(outputScales[output] as number, output * blocks, (output + 1) * blocks);
    for (let input = 0; input < inputs; input += 1)
      table[output * inputs + input] = ((bytes[input * outputs + output] as number) + middle) & 0xff;
  }
  return { table, scales };
}

export function storedWeights(file: Uint8Array): StoredWeights {
  const { tensors, nodes } = readWeights(file);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  let complete = true;
  const missing = (): StoredTensor => {
    complete = false;
    return { type: 0, dims: [], bytes: new Uint8Array(0) };
  };
  const tensor = (name: string | undefined): StoredTensor => {
    const found = tensors.get(name ?? '');
    return found && found.bytes.length > 0 ? found : missing();
  };
  const real = (length: number, name: string | undefined): Float32Array => {
    const found = tensor(name);
    const suits = found.type === float32 && found.bytes.length === length * Float32Array.BYTES_PER_ELEMENT;
    return floats(suits ? found : missing());
  };
  const tableOf = (length: number, name: string | undefined): StoredTensor => {
    const found = tensor(name);
    return found.bytes.length === length ? found : missing();
  };
  const byOutputs = ([, name = '', , zero]: readonly string[], outputs: number, inputs: number): Q8Matrix => {
    const stored = tableOf(outputs * inputs, name);
    const scales = real(outputs, name.replace(/_quantized$/, '_scale'));
    const centred = tensor(zero).bytes.every((one) => one === 0);
    if (stored.type === int8 && stored.dims[0] === inputs && centred) return inBlocks(stored, scales, inputs, outputs);
    missing();
    return { table: new Uint8Array(0), scales };
  };
  return {
    vector: (length, ...names) =>
      real(
        length,
        names.find((one) => tensors.has(one)),
      ),
    input: (length, node, index) => real(length, byName.get(node)?.inputs[index]),
    matrix(product, outputs, inputs) {
      const blocks = byName.get(product);
      if (blocks?.opType === 'MatMulNBits') {
        const { numbers } = blocks;
        if (blocks.inputs.length !== 3 || numbers.get('bits') !== 8 || numbers.get('block_size') !== blockSize)
          missing();
        return {
          table: tableOf(outputs * inputs, blocks.inputs[1]).bytes,
          scales: real((outputs * inputs) / blockSize, blocks.inputs[2]),
        };
      }
      const whole = byName.get(`${product}_quant`);
      return byOutputs(whole?.opType === 'MatMulInteger' ? whole.inputs : [], outputs, inputs);
    },
    complete: () => complete,
  };
}

export const record = <Name extends string, Value>(
  names: readonly Name[],
  of: (name: Name) => Value,
): Readonly<Record<Name, Value>> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Readonly<Record<Name, Value>>;

/** Outputs and inputs of a layer's matrix. */
export const sizeOf = (
  name: (typeof layerMatrices)[number],
  width: number,
  feedWidth: number,
): readonly [outputs: number, inputs: number] => [
  name === 'feedIn' ? feedWidth : width,
  name === 'feedOut' ? feedWidth : width,
];

// Weights of 8 bits in an ONNX file, for kernels that compute in blocks of 32.
import type { Q8Matrix } from '../../../kernels/whisper-decoder.ts';
import { readWeights, type StoredTensor } from '../../../models/onnx-weights.ts';

/** Weights that share a scale. */
export const blockSize = 32;
/** TensorProto.DataType. */
const [float32, int8] = [1, 3];
/** What means 0 in a table of bytes. */
const middle = 128;

/** A copy, since floats in a file may be unaligned. */
const floats = ({ bytes }: StoredTensor): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);

/** Looks weights up by name. What is missing, or stored otherwise than asked for, is empty and remembered. */
export interface StoredWeights {
  /** @param names float32; the first that there is */
  vector(...names: string[]): Float32Array;
  /** The float32 input of a node. */
  input(node: string, index: number): Float32Array;
  /** The matrix of a product: `MatMulNBits`, or `MatMulInteger` with a scale for each output. */
  matrix(product: string): Q8Matrix;
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
  const real = (name: string | undefined): Float32Array => {
    const found = tensor(name);
    return floats(found.type === float32 ? found : missing());
  };
  const byOutputs = ([, name = '', , zero]: readonly string[]): Q8Matrix => {
    const stored = tensor(name);
    const [inputs = 0, outputs = 0] = stored.dims;
    const scales = real(name.replace(/_quantized$/, '_scale'));
    const centred = tensor(zero).bytes.every((one) => one === 0);
    const suits = stored.type === int8 && centred && inputs % blockSize === 0 && scales.length === outputs;
    if (suits) return inBlocks(stored, scales, inputs, outputs);
    missing();
    return { table: new Uint8Array(0), scales };
  };
  return {
    vector: (...names) => real(names.find((one) => tensors.has(one))),
    input: (node, index) => real(byName.get(node)?.inputs[index]),
    matrix(product) {
      const blocks = byName.get(product);
      if (blocks?.opType === 'MatMulNBits') {
        const { inputs, numbers } = blocks;
        if (inputs.length !== 3 || numbers.get('bits') !== 8 || numbers.get('block_size') !== blockSize) missing();
        return { table: tensor(inputs[1]).bytes, scales: real(inputs[2]) };
      }
      const whole = byName.get(`${product}_quant`);
      return byOutputs(whole?.opType === 'MatMulInteger' ? whole.inputs : []);
    },
    complete: () => complete,
  };
}

export const record = <Name extends string, Value>(
  names: readonly Name[],
  of: (name: Name) => Value,
): Readonly<Record<Name, Value>> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Readonly<Record<Name, Value>>;

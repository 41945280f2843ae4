// RNNoise's weights, from the WebAssembly of its package.
import createRnnoiseModule from '@jitsi/rnnoise-wasm/dist/rnnoise-sync.js';
import { createRnnoiseNetwork, type RnnoiseLayer, type RnnoiseNetwork } from '../../../kernels/rnnoise.ts';

/** A state begins with the layers: pointers and sizes of 32 bits, in this order. */
const fields = ['bias', 'unused', 'bytes', 'floats', 'blocks', 'diagonal', 'scale', 'inputs', 'outputs'] as const;
type Field = (typeof fields)[number];

/** Inputs and outputs of the layers of RNNoise 0.2. */
const sizes: readonly (readonly [number, number])[] = [
  [195, 128],
  [384, 384],
  ...Array.from({ length: 6 }, () => [384, 1152] as const),
  [384, 32],
  [384, 1],
];

/** Weights of 8 bits come in blocks of eight outputs by four inputs. */
const [blockOutputs, blockInputs] = [8, 4];

/** A layer without an index has all of its blocks. */
function allBlocks(inputs: number, outputs: number): Int32Array {
  const row = [inputs / blockInputs, ...Array.from({ length: inputs / blockInputs }, (_, k) => k * blockInputs)];
  return Int32Array.from(Array.from({ length: outputs / blockOutputs }, () => row).flat());
}

/** How much of an index belongs to a layer: for each eight outputs a number, and so many inputs. */
function indexLength(index: Int32Array, outputs: number): number {
  let at = 0;
  for (let row = 0; row < outputs; row += blockOutputs) at += 1 + (index[at] ?? 0);
  return at;
}

function layerAt(memory: ArrayBuffer, pointer: number, [inputs, outputs]: readonly [number, number]): RnnoiseLayer {
  const words = new Int32Array(memory, pointer, fields.length);
  const field = (name: Field): number => words[fields.indexOf(name)] as number;
  if (field('inputs') !== inputs || field('outputs') !== outputs)
    throw new Error(
      `Expected a layer of RNNoise with ${inputs} inputs and ${outputs} outputs in @jitsi/rnnoise-wasm, ` +
        `but found ${field('inputs')} and ${field('outputs')}`,
    );
  const floats = (name: Field, length: number): Float32Array =>
    field(name) === 0 ? new Float32Array() : new Float32Array(memory, field(name), length).slice();
  const bias = floats('bias', outputs);
  const none = { blocks: new Int32Array(), scale: new Float32Array(), diagonal: new Float32Array() };
  if (field('floats') !== 0) return { inputs, outputs, bias, weights: floats('floats', inputs * outputs), ...none };
  const index = field('blocks') === 0 ? null : new Int32Array(memory, field('blocks'));
  const blocks = index ? index.slice(0, indexLength(index, outputs)) : allBlocks(inputs, outputs);
  const count = blocks.length - outputs / blockOutputs;
  return {
    inputs,
    outputs,
    bias,
    weights: new Int8Array(memory, field('bytes'), count * blockOutputs * blockInputs).slice(),
    blocks,
    scale: floats('scale', outputs),
    diagonal: floats('diagonal', outputs),
  };
}

/**
 * The layers of RNNoise 0.2 that @jitsi/rnnoise-wasm holds.
 * @throws Error where the package holds another network
 */
export function rnnoiseLayers(): readonly RnnoiseLayer[] {
  const rnnoise = createRnnoiseModule();
  const state = rnnoise._rnnoise_create(0);
  const memory = rnnoise.HEAPF32.buffer as ArrayBuffer;
  const layers = sizes.map((size, at) => layerAt(memory, state + at * 4 * fields.length, size));
  rnnoise._rnnoise_destroy(state);
  return layers;
}

/** @throws Error as `rnnoiseLayers` */
export const openRnnoiseNetwork = (): RnnoiseNetwork => createRnnoiseNetwork(rnnoiseLayers());

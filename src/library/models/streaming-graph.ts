import { floatTensor, readOnnx, valueName, writeOnnx } from './onnx-graph.ts';

export interface StreamingChange {
  /** Inputs to lose their padding along time, with their new shape: the caller passes the previous frames. */
  readonly padded: Readonly<Record<string, readonly (number | string)[]>>;
  /** GRUs in the graph, and the length of each one's state. */
  readonly grus: number;
  readonly stateLength: number;
}

/** Names of the states as inputs and outputs, in the order of the GRUs in the graph. */
export const stateIn = (index: number): string => `earshot_state_in_${index}`;
export const stateOut = (index: number): string => `earshot_state_out_${index}`;

/**
 * Makes a network that was exported for whole recordings run piece by piece: every `Pad` node is removed (its consumers
 * read its input), and each GRU's initial state becomes a graph input [1, 1, length] and its final state a graph
 * output.
 * @throws Error when the graph differs from what the change expects
 */
export function exposeState(bytes: Uint8Array, { padded, grus, stateLength }: StreamingChange): Uint8Array {
  const model = readOnnx(bytes);
  model.shapes = [];
  const replaced = new Map<string, string>();
  for (const { opType, inputs, outputs } of model.nodes) {
    if (opType !== 'Pad') continue;
    const [source = ''] = inputs;
    if (!(source in padded))
      throw new Error(`Expected only ${Object.keys(padded).join(', ')} to be padded but the graph pads ${source}`);
    replaced.set(outputs[0] ?? '', source);
  }
  if (replaced.size !== Object.keys(padded).length)
    throw new Error(`Expected ${Object.keys(padded).length} paddings in the graph but found ${replaced.size}`);
  model.nodes = model.nodes.filter(({ opType }) => opType !== 'Pad');
  let found = 0;
  for (const node of model.nodes) {
    if (node.opType !== 'GRU') continue;
    while (node.inputs.length < 6) node.inputs.push('');
    node.inputs[5] = stateIn(found);
    const [sequence = '', last = ''] = node.outputs;
    if (last !== '') replaced.set(last, stateOut(found));
    node.outputs = [sequence, stateOut(found)];
    found += 1;
  }
  if (found !== grus) throw new Error(`Expected ${grus} GRUs in the graph but found ${found}`);
  for (const node of model.nodes) node.inputs = node.inputs.map((name) => replaced.get(name) ?? name);
  model.inputs = model.inputs.map((info) => {
    const shape = padded[valueName(info)];
    return shape ? floatTensor(valueName(info), shape) : info;
  });
  // A final state that was a graph output already keeps only the new name.
  model.outputs = model.outputs.filter((info) => !replaced.has(valueName(info)));
  for (let index = 0; index < grus; index += 1) {
    model.inputs.push(floatTensor(stateIn(index), [1, 1, stateLength]));
    model.outputs.push(floatTensor(stateOut(index), [1, 1, stateLength]));
  }
  return writeOnnx(model);
}

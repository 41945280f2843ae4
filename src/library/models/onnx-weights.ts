// Reads weights and nodes of an ONNX file without running it, subgraphs included:
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
import { PbfReader } from 'pbf';
import { readFields } from './onnx-graph.ts';

export interface StoredTensor {
  /** TensorProto.DataType: 1 float32, 2 uint8, 3 int8. */
  readonly type: number;
  readonly dims: readonly number[];
  /** Little-endian, a view into the file; empty for weights in another file. */
  readonly bytes: Uint8Array;
}

export interface StoredNode {
  readonly name: string;
  readonly opType: string;
  readonly inputs: readonly string[];
  /** Integer attributes. */
  readonly numbers: ReadonlyMap<string, number>;
}

export interface OnnxWeights {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly nodes: readonly StoredNode[];
}

const graphOfModel = 7;
const graphField = { node: 1, initializer: 5 } as const;
const nodeField = { input: 1, name: 3, opType: 4, attribute: 5 } as const;
const attributeField = { name: 1, number: 3, graph: 6 } as const;
const tensorField = { dims: 1, type: 2, floats: 4, integers: 5, name: 8, raw: 9 } as const;

type Field = ReturnType<typeof readFields>[number];

const text = ({ content }: Field): string => Buffer.from(content).toString('utf8');
const varint = ({ content }: Field): number => new PbfReader(content).readVarint(true);

const byteTypes = { uint8: 2, int8: 3 } as const;

/** Small tensors of bytes are often a packed list of varints. */
function bytesOf(integers: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new PbfReader(integers);
  const values: number[] = [];
  while (reader.pos < integers.length) values.push(reader.readVarint(true));
  return Uint8Array.from(values);
}

function readTensor(bytes: Uint8Array): readonly [string, StoredTensor] {
  let name = '';
  let type = 0;
  let raw = new Uint8Array(0);
  let integers = new Uint8Array(0);
  const dims: number[] = [];
  for (const field of readFields(bytes)) {
    if (field.tag === tensorField.name) name = text(field);
    else if (field.tag === tensorField.type) type = varint(field);
    // A packed list of floats has their bytes in the same order.
    else if (field.tag === tensorField.raw || field.tag === tensorField.floats)
      raw = field.content as Uint8Array<ArrayBuffer>;
    else if (field.tag === tensorField.integers) integers = field.content as Uint8Array<ArrayBuffer>;
    else if (field.tag === tensorField.dims) {
      const reader = new PbfReader(field.content);
      while (reader.pos < field.content.length) dims.push(reader.readVarint());
    }
  }
  const isByte = type === byteTypes.uint8 || type === byteTypes.int8;
  if (raw.length === 0 && isByte && integers.length > 0) raw = bytesOf(integers);
  return [name, { type, dims, bytes: raw }];
}

/** @throws Error when the bytes are not a protobuf message with a graph */
export function readWeights(bytes: Uint8Array): OnnxWeights {
  const tensors = new Map<string, StoredTensor>();
  const nodes: StoredNode[] = [];
  const readGraph = (graph: Uint8Array): void => {
    for (const { tag, content } of readFields(graph)) {
      if (tag === graphField.initializer) tensors.set(...readTensor(content));
      else if (tag === graphField.node) readNode(content);
    }
  };
  const readNode = (node: Uint8Array): void => {
    const fields = readFields(node);
    const named = (tag: number): string[] => fields.filter((field) => field.tag === tag).map(text);
    const numbers = new Map<string, number>();
    for (const { content } of fields.filter(({ tag }) => tag === nodeField.attribute)) {
      const attribute = readFields(content);
      const name = attribute.find(({ tag }) => tag === attributeField.name);
      const number = attribute.find(({ tag }) => tag === attributeField.number);
      if (name && number) numbers.set(text(name), varint(number));
      for (const field of attribute) if (field.tag === attributeField.graph) readGraph(field.content);
    }
    const [name = ''] = named(nodeField.name);
    const [opType = ''] = named(nodeField.opType);
    nodes.push({ name, opType, inputs: named(nodeField.input), numbers });
  };
  const graph = readFields(bytes).find(({ tag }) => tag === graphOfModel);
  if (!graph) throw new Error('Expected an ONNX model with a graph');
  readGraph(graph.content);
  return { tensors, nodes };
}

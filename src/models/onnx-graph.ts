// Reads the graph of an ONNX file and writes a changed one: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
import { PbfReader, PbfWriter } from 'pbf';

/** A protobuf field as it stands in the file, so that what is not understood is kept. */
interface RawField {
  readonly tag: number;
  readonly bytes: Uint8Array;
}

export interface GraphNode {
  readonly opType: string;
  /** Empty names stand for optional inputs that are left out. */
  inputs: string[];
  outputs: string[];
  readonly rest: readonly RawField[];
}

export interface OnnxModel {
  readonly rest: readonly RawField[];
  readonly graphRest: readonly RawField[];
  nodes: GraphNode[];
  /** Encoded ValueInfoProto. */
  inputs: Uint8Array[];
  outputs: Uint8Array[];
}

const modelGraph = 7;
const graphField = { node: 1, input: 11, output: 12, valueInfo: 13 } as const;
const nodeField = { input: 1, output: 2, opType: 4 } as const;
const float32 = 1;

const lengthDelimited = 2;

/** Every field of a message: its tag and its raw content; scalars keep their encoding. */
export function readFields(bytes: Uint8Array): { tag: number; wire: number; content: Uint8Array }[] {
  const reader = new PbfReader(bytes);
  const fields: { tag: number; wire: number; content: Uint8Array }[] = [];
  for (let tag = reader.nextField(bytes.length); tag !== 0; tag = reader.nextField(bytes.length)) {
    const wire = reader.type;
    if (wire === lengthDelimited) fields.push({ tag, wire, content: reader.readBytes() });
    else {
      const start = reader.pos;
      reader.skip(wire);
      fields.push({ tag, wire, content: bytes.subarray(start, reader.pos) });
    }
  }
  return fields;
}

/** A field with its key in front, as it stood in the file. */
function raw({ tag, wire, content }: ReturnType<typeof readFields>[number]): RawField {
  const writer = new PbfWriter();
  if (wire === lengthDelimited) writer.writeBytesField(tag, content);
  else {
    writer.writeTag(tag, wire);
    const key = writer.finish().slice();
    return { tag, bytes: Buffer.concat([key, content]) };
  }
  return { tag, bytes: writer.finish().slice() };
}

const text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

function readNode(bytes: Uint8Array): GraphNode {
  const fields = readFields(bytes);
  const named = (tag: number): string[] =>
    fields.filter((field) => field.tag === tag).map(({ content }) => text(content));
  const known = new Set<number>([nodeField.input, nodeField.output]);
  return {
    opType: named(nodeField.opType)[0] ?? '',
    inputs: named(nodeField.input),
    outputs: named(nodeField.output),
    rest: fields.filter(({ tag }) => !known.has(tag)).map(raw),
  };
}

/** @throws Error when the bytes are no protobuf message with a graph */
export function readOnnx(bytes: Uint8Array): OnnxModel {
  const model = readFields(bytes);
  const graph = model.find(({ tag }) => tag === modelGraph);
  if (!graph) throw new Error('Expected an ONNX model with a graph');
  const fields = readFields(graph.content);
  const taken = new Set<number>(Object.values(graphField));
  return {
    rest: model.filter(({ tag }) => tag !== modelGraph).map(raw),
    // Shapes of values in between are left out: they would contradict a changed graph, and the runtime infers them
    // anyway.
    graphRest: fields.filter(({ tag }) => !taken.has(tag)).map(raw),
    nodes: fields.filter(({ tag }) => tag === graphField.node).map(({ content }) => readNode(content)),
    inputs: fields.filter(({ tag }) => tag === graphField.input).map(({ content }) => content),
    outputs: fields.filter(({ tag }) => tag === graphField.output).map(({ content }) => content),
  };
}

export function writeOnnx({ rest, graphRest, nodes, inputs, outputs }: OnnxModel): Uint8Array {
  const graph = new PbfWriter();
  for (const { inputs: from, outputs: to, rest: others } of nodes) {
    const node = new PbfWriter();
    for (const name of from) node.writeStringField(nodeField.input, name);
    for (const name of to) node.writeStringField(nodeField.output, name);
    graph.writeBytesField(graphField.node, Buffer.concat([node.finish(), ...others.map(({ bytes }) => bytes)]));
  }
  for (const info of inputs) graph.writeBytesField(graphField.input, info);
  for (const info of outputs) graph.writeBytesField(graphField.output, info);
  const model = new PbfWriter();
  model.writeBytesField(modelGraph, Buffer.concat([graph.finish(), ...graphRest.map(({ bytes }) => bytes)]));
  return Buffer.concat([...rest.map(({ bytes }) => bytes), model.finish()]);
}

/** The name of an encoded ValueInfoProto. */
export const valueName = (info: Uint8Array): string =>
  text(readFields(info).find(({ tag }) => tag === 1)?.content ?? new Uint8Array());

/** An encoded ValueInfoProto of a float32 tensor; a dimension that is a word may have any length. */
export function floatTensor(name: string, shape: readonly (number | string)[]): Uint8Array {
  const dimensions = new PbfWriter();
  for (const length of shape) {
    dimensions.writeMessage(
      1,
      (dimension: number | string, writer) => {
        if (typeof dimension === 'number') writer.writeVarintField(1, dimension);
        else writer.writeStringField(2, dimension);
      },
      length,
    );
  }
  const tensor = new PbfWriter();
  tensor.writeVarintField(1, float32);
  tensor.writeBytesField(2, dimensions.finish());
  const type = new PbfWriter();
  type.writeBytesField(1, tensor.finish());
  const info = new PbfWriter();
  info.writeStringField(1, name);
  info.writeBytesField(2, type.finish());
  return info.finish();
}

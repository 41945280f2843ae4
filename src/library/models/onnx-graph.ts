// Reads the graph of an ONNX file and writes a modified one: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
import { PbfReader, PbfWriter } from 'pbf';

/** A protobuf field as in the file, so that unknown ones are kept. Weights are views into the file. */
interface RawField {
  readonly tag: number;
  readonly pieces: readonly Uint8Array[];
}

export interface GraphNode {
  readonly opType: string;
  /** Empty names mean optional inputs that are left out. */
  inputs: string[];
  outputs: string[];
  readonly rest: readonly RawField[];
}

export interface OnnxModel {
  readonly rest: readonly RawField[];
  readonly graphRest: readonly RawField[];
  /** Shapes of intermediate values. Code that changes shapes empties it: the runtime infers them. */
  shapes: readonly RawField[];
  nodes: GraphNode[];
  /** Encoded ValueInfoProto. */
  inputs: Uint8Array[];
  outputs: Uint8Array[];
}

const modelGraph = 7;
const graphField = { node: 1, input: 11, output: 12, valueInfo: 13 } as const;
const nodeField = { input: 1, output: 2, name: 3, opType: 4, attribute: 5 } as const;
/** AttributeProto. */
const attributeField = { name: 1, integer: 3, type: 20 } as const;
const integerType = 2;
const float32 = 1;

const lengthDelimited = 2;

/** A node without a name. @param numbers its attributes, all of them integers */
export function makeNode(
  opType: string,
  inputs: string[],
  outputs: string[],
  numbers: Readonly<Record<string, number>>,
): GraphNode {
  const field = (tag: number, write: (writer: PbfWriter) => void): RawField => {
    const writer = new PbfWriter();
    write(writer);
    return { tag, pieces: [writer.finish().slice()] };
  };
  const attributes = Object.entries(numbers).map(([name, value]) => {
    const attribute = new PbfWriter();
    attribute.writeStringField(attributeField.name, name);
    attribute.writeVarintField(attributeField.integer, value);
    attribute.writeVarintField(attributeField.type, integerType);
    return field(nodeField.attribute, (writer) => writer.writeBytesField(nodeField.attribute, attribute.finish()));
  });
  const operation = field(nodeField.opType, (writer) => writer.writeStringField(nodeField.opType, opType));
  return { opType, inputs, outputs, rest: [operation, ...attributes] };
}

/** The same operation on other values. Without a name, since names must be unique in a graph. */
export const sameOperation = ({ opType, rest }: GraphNode, inputs: string[], outputs: string[]): GraphNode => ({
  opType,
  inputs,
  outputs,
  rest: rest.filter(({ tag }) => tag !== nodeField.name),
});

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

/** A field with its key, as in the file. */
function raw({ tag, wire, content }: ReturnType<typeof readFields>[number]): RawField {
  const writer = new PbfWriter();
  writer.writeTag(tag, wire);
  if (wire === lengthDelimited) writer.writeVarint(content.length);
  return { tag, pieces: [writer.finish().slice(), content] };
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

/** @throws Error when the bytes are not a protobuf message with a graph */
export function readOnnx(bytes: Uint8Array): OnnxModel {
  const model = readFields(bytes);
  const graph = model.find(({ tag }) => tag === modelGraph);
  if (!graph) throw new Error('Expected an ONNX model with a graph');
  const fields = readFields(graph.content);
  const taken = new Set<number>(Object.values(graphField));
  return {
    rest: model.filter(({ tag }) => tag !== modelGraph).map(raw),
    shapes: fields.filter(({ tag }) => tag === graphField.valueInfo).map(raw),
    graphRest: fields.filter(({ tag }) => !taken.has(tag)).map(raw),
    nodes: fields.filter(({ tag }) => tag === graphField.node).map(({ content }) => readNode(content)),
    inputs: fields.filter(({ tag }) => tag === graphField.input).map(({ content }) => content),
    outputs: fields.filter(({ tag }) => tag === graphField.output).map(({ content }) => content),
  };
}

export function writeOnnx({ rest, graphRest, shapes, nodes, inputs, outputs }: OnnxModel): Uint8Array<ArrayBuffer> {
  const written = (write: (writer: PbfWriter) => void): Uint8Array => {
    const writer = new PbfWriter();
    write(writer);
    return writer.finish().slice();
  };
  const piecesOf = (fields: readonly RawField[]): Uint8Array[] => fields.flatMap(({ pieces }) => [...pieces]);
  const graph = [
    ...nodes.map(({ inputs: from, outputs: to, rest: others }) => {
      const own = written((node) => {
        for (const name of from) node.writeStringField(nodeField.input, name);
        for (const name of to) node.writeStringField(nodeField.output, name);
      });
      const bytes = Buffer.concat([own, ...piecesOf(others)]);
      return written((writer) => writer.writeBytesField(graphField.node, bytes));
    }),
    ...piecesOf(graphRest),
    ...piecesOf(shapes),
    written((writer) => {
      for (const info of inputs) writer.writeBytesField(graphField.input, info);
      for (const info of outputs) writer.writeBytesField(graphField.output, info);
    }),
  ];
  const length = graph.reduce((sum, piece) => sum + piece.length, 0);
  const pieces = [
    ...piecesOf(rest),
    written((writer) => {
      writer.writeTag(modelGraph, lengthDelimited);
      writer.writeVarint(length);
    }),
    ...graph,
  ];
  // The only copy of the weights.
  const file = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    file.set(piece, at);
    at += piece.length;
  }
  return file;
}

/** The name of an encoded ValueInfoProto. */
export const valueName = (info: Uint8Array): string =>
  text(readFields(info).find(({ tag }) => tag === 1)?.content ?? new Uint8Array());

/** An encoded ValueInfoProto of a float32 tensor; a named dimension may have any length. */
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

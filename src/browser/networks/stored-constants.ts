// Reads the constants of an ONNX file: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
import { readFields } from '../../library/models/onnx-graph.ts';

const modelGraph = 7;
const graphNode = 1;
const nodeField = { output: 2, attribute: 5 } as const;
const attributeField = { tensor: 5, graph: 6 } as const;
const tensorField = { type: 2, raw: 9 } as const;
const float32 = 1;

/** Values of all constants that are float32, by the name of their node's output; subgraphs included. */
export function readConstants(file: Uint8Array): ReadonlyMap<string, Float32Array> {
  const found = new Map<string, Float32Array>();
  const readTensor = (name: string, tensor: Uint8Array): void => {
    const fields = readFields(tensor);
    const type = fields.find(({ tag }) => tag === tensorField.type)?.content[0];
    const raw = fields.find(({ tag }) => tag === tensorField.raw)?.content;
    // A copy, since floats in a file may be unaligned.
    if (type === float32 && raw) found.set(name, new Float32Array(Uint8Array.from(raw).buffer));
  };
  const readGraph = (graph: Uint8Array): void => {
    for (const node of readFields(graph).filter(({ tag }) => tag === graphNode)) {
      const fields = readFields(node.content);
      const output = fields.find(({ tag }) => tag === nodeField.output)?.content ?? new Uint8Array();
      for (const attribute of fields.filter(({ tag }) => tag === nodeField.attribute))
        for (const { tag, content } of readFields(attribute.content))
          if (tag === attributeField.graph) readGraph(content);
          else if (tag === attributeField.tensor) readTensor(new TextDecoder().decode(output), content);
    }
  };
  const graph = readFields(file).find(({ tag }) => tag === modelGraph);
  if (graph) readGraph(graph.content);
  return found;
}

// A network's attention in parts: the same numbers with a fraction of the memory.
import { type GraphNode, makeNode, readOnnx, sameOperation, writeOnnx } from './onnx-graph.ts';

/** A chain MatMul -> (Mul) -> Softmax -> MatMul of a graph, as exporters write attention. */
interface Attention {
  readonly scores: GraphNode;
  readonly scale: GraphNode | null;
  readonly softmax: GraphNode;
  readonly mix: GraphNode;
}

/** Second to last: queries, in [batch, heads, queries, width]. */
const queryAxis = 2;

function findAttentions(nodes: readonly GraphNode[]): Attention[] {
  const makers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const readers = new Map<string, GraphNode[]>();
  for (const node of nodes) for (const name of node.inputs) readers.set(name, [...(readers.get(name) ?? []), node]);
  /** The node that makes a value that no other node reads. */
  const onlyMaker = (name: string | undefined, opType: string): GraphNode | null => {
    const maker = makers.get(name ?? '');
    return maker?.opType === opType && readers.get(name ?? '')?.length === 1 ? maker : null;
  };
  return nodes.flatMap((softmax) => {
    if (softmax.opType !== 'Softmax') return [];
    const [mix, ...others] = readers.get(softmax.outputs[0] ?? '') ?? [];
    if (mix?.opType !== 'MatMul' || mix.inputs[0] !== softmax.outputs[0] || others.length > 0) return [];
    const scale = onlyMaker(softmax.inputs[0], 'Mul');
    // The scale must be a constant to apply to all parts alike.
    if (scale !== null && makers.get(scale.inputs[1] ?? '')?.opType !== 'Constant') return [];
    const scores = onlyMaker((scale ?? softmax).inputs[0], 'MatMul');
    return scores === null ? [] : [{ scores, scale, softmax, mix }];
  });
}

/** The attention for some of the queries at a time. A row of scores depends only on its own query. */
function inParts({ scores, scale, softmax, mix }: Attention, parts: number): GraphNode[] {
  const [result = ''] = mix.outputs;
  const name = (what: string, part: number): string => `${result}/${what}_${part}`;
  const indices = Array.from({ length: parts }, (_, part) => part);
  const [queries = '', keys = ''] = scores.inputs;
  return [
    makeNode(
      'Split',
      [queries],
      indices.map((part) => name('queries', part)),
      { axis: queryAxis },
    ),
    ...indices.flatMap((part) => {
      const raw = name('scores', part);
      const scaled = scale === null ? raw : name('scaled', part);
      return [
        sameOperation(scores, [name('queries', part), keys], [raw]),
        ...(scale === null ? [] : [sameOperation(scale, [raw, scale.inputs[1] ?? ''], [scaled])]),
        sameOperation(softmax, [scaled], [name('weights', part)]),
        sameOperation(mix, [name('weights', part), mix.inputs[1] ?? ''], [name('mixed', part)]),
      ];
    }),
    makeNode(
      'Concat',
      indices.map((part) => name('mixed', part)),
      [result],
      { axis: queryAxis },
    ),
  ];
}

/**
 * Rewrites a network so that each attention scores some of its queries at a time. The result is the same to the bit,
 * since a query's scores depend on no other query; the scores of Whisper base's encoder take 14 MB instead of 144.
 * @param bytes an ONNX file with its weights inside
 * @param parts at least 2; the number of queries must be a multiple of it
 * @returns the network, unchanged where it has no attention of the usual form
 */
export function splitAttention(bytes: Uint8Array, parts: number): Uint8Array {
  const model = readOnnx(bytes);
  const attentions = findAttentions(model.nodes);
  if (attentions.length === 0) return bytes;
  const replaced = new Map<GraphNode, GraphNode[]>();
  for (const attention of attentions) {
    for (const node of [attention.scores, attention.scale, attention.softmax]) if (node) replaced.set(node, []);
    replaced.set(attention.mix, inParts(attention, parts));
  }
  model.nodes = model.nodes.flatMap((node) => replaced.get(node) ?? [node]);
  return writeOnnx(model);
}

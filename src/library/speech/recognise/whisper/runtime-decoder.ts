// The decoder of any export in the layout of the hub's onnx-community, on ONNX Runtime.
import { createSession, type Tensor } from '../../../models/sessions.ts';
import type { WhisperLayout } from './layout.ts';
import { type Decoding, freeMemory, type WhisperDecoder, type Windows } from './decoder.ts';

type Cache = Readonly<Record<string, Tensor>>;

function release(cache: Cache): void {
  for (const { data } of Object.values(cache)) freeMemory(data);
}

/** Rows [from, to) of a tensor, without a copy. */
function rowsOf({ data, dims: [count = 1, ...rest] }: Tensor, from: number, to: number): Tensor {
  const size = data.length / count;
  return { data: data.subarray(from * size, to * size), dims: [to - from, ...rest] };
}

const cacheRows = (cache: Cache, from: number, to: number): Cache =>
  Object.fromEntries(Object.entries(cache).map(([name, tensor]) => [name, rowsOf(tensor, from, to)]));

const named = (prefix: string, cache: Cache): Record<string, Tensor> =>
  Object.fromEntries(Object.entries(cache).map(([name, tensor]) => [`${prefix}.${name}`, tensor]));

const taken = (outputs: Readonly<Record<string, Tensor>>, names: readonly string[]): Cache =>
  Object.fromEntries(names.map((name) => [name, outputs[`present.${name}`] as Tensor]));

const ids = (tokens: readonly (readonly number[])[]): Tensor<BigInt64Array> => ({
  data: BigInt64Array.from(tokens.flat(), BigInt),
  dims: [tokens.length, tokens[0]?.length ?? 0],
});

/** @throws EarshotError tool_unavailable when ONNX Runtime refuses the network */
export async function runtimeDecoder(layout: WhisperLayout): Promise<WhisperDecoder> {
  const { layers, heads, headWidth, vocabularySize, alignmentHeads, tokens: special } = layout;
  const decoder = await createSession(`${layout.id}/decoder`, layout.decoderPath, { keepsMemory: false });
  const allPositions = layout.frames / 2;
  const cacheNames = (kind: 'decoder' | 'encoder'): string[] =>
    Array.from({ length: layers }, (_, layer) => ['key', 'value'].map((part) => `${layer}.${kind}.${part}`)).flat();
  const [ownNames, crossNames] = [cacheNames('decoder'), cacheNames('encoder')];
  const attentionNames = [...new Set(alignmentHeads.map(([layer]) => `cross_attentions.${layer}`))];
  const width = heads * headWidth;
  const empty = (rows: number): Tensor => ({ data: new Float32Array(0), dims: [rows, heads, 0, headWidth] });
  const emptyCache = (names: readonly string[], rows: number): Cache =>
    Object.fromEntries(names.map((name) => [name, empty(rows)]));

  /** The logits after the last token. */
  function lastOf(all: Float32Array, rows: number, count: number): Float32Array {
    const logits = new Float32Array(rows * vocabularySize);
    for (let row = 0; row < rows; row += 1) {
      const end = (row + 1) * count * vocabularySize;
      logits.set(all.subarray(end - vocabularySize, end), row * vocabularySize);
    }
    return logits;
  }

  function begin(windows: number, positions: number, allCross: Cache): Decoding {
    let rows = windows;
    let cross = allCross;
    let own = emptyCache(ownNames, rows);
    return {
      async step(tokens) {
        const count = tokens[0]?.length ?? 0;
        const outputs = await decoder.run(
          {
            input_ids: ids(tokens),
            // Not used once there are cross keys and values.
            encoder_hidden_states: { data: new Float32Array(0), dims: [rows, 0, width] },
            use_cache_branch: { data: Uint8Array.of(1), dims: [1] },
            ...named('past_key_values', { ...own, ...cross }),
          },
          ['logits', ...ownNames.map((name) => `present.${name}`), ...attentionNames],
        );
        release(own);
        own = taken(outputs, ownNames);
        const all = (outputs['logits'] as Tensor).data;
        const logits = count === 1 ? all : lastOf(all, rows, count);
        return {
          logits,
          attention(row, head) {
            const [layer, at] = alignmentHeads[head] as readonly [number, number];
            const { data } = outputs[`cross_attentions.${layer}`] as Tensor;
            const end = (row * heads + at + 1) * count * positions;
            return data.subarray(end - positions, end);
          },
          release() {
            freeMemory(all);
            release(Object.fromEntries(attentionNames.map((name) => [name, outputs[name] as Tensor])));
          },
        };
      },
      keep(wanted) {
        // Rows at either end are dropped; those between others are carried along.
        const from = Math.max(0, wanted.indexOf(true));
        const to = wanted.lastIndexOf(true) + 1;
        if (from > 0 || to < rows) {
          cross = cacheRows(cross, from, to);
          own = cacheRows(own, from, to);
          rows = to - from;
        }
        return Array.from({ length: rows }, (_, index) => from + index);
      },
      release: () => release(own),
    };
  }

  const windowsOf = (rows: number, positions: number, cross: Cache, opening: Float32Array): Windows => ({
    rows,
    opening,
    begin: () => begin(rows, positions, cross),
    row: (index) =>
      windowsOf(
        1,
        positions,
        cacheRows(cross, index, index + 1),
        opening.subarray(index * vocabularySize, (index + 1) * vocabularySize),
      ),
    release: () => release(cross),
  });

  return {
    async open(heard, wanted) {
      const rows = heard.length;
      const positions = Math.min(Math.max(...wanted), allPositions);
      const cross: Record<string, Tensor> = Object.fromEntries(
        crossNames.map((name) => [
          name,
          { data: new Float32Array(rows * heads * positions * headWidth), dims: [rows, heads, positions, headWidth] },
        ]),
      );
      const opening = new Float32Array(rows * vocabularySize);
      // One after the other: in parallel they would need twice the memory.
      for (const [row, values] of heard.entries()) {
        const parts = Object.entries(cacheRows(cross, row, row + 1)).map(([name, part]) => [`present.${name}`, part]);
        const outputs = await decoder.run(
          {
            input_ids: ids([[special.start]]),
            encoder_hidden_states: { data: values.subarray(0, positions * width), dims: [1, positions, width] },
            use_cache_branch: { data: Uint8Array.of(0), dims: [1] },
            ...named('past_key_values', { ...emptyCache(ownNames, 1), ...emptyCache(crossNames, 1) }),
          },
          ['logits', ...crossNames.map((name) => `present.${name}`)],
          Object.fromEntries(parts) as Record<string, Tensor>,
        );
        opening.set((outputs['logits'] as Tensor).data, row * vocabularySize);
      }
      return windowsOf(rows, positions, cross, opening);
    },
    close: () => decoder.close(),
  };
}

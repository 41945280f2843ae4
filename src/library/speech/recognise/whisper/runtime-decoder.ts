// The decoder of any export in the layout of the hub's onnx-community, on ONNX Runtime.
import { freeMemory } from '../../../core/free-buffer.ts';
import { createSession, type NetworkSession, type Tensor } from '../../../models/sessions.ts';
import type { WhisperLayout } from './layout.ts';
import type { Decoding, EncodedSound, Step, WhisperDecoder, Windows } from './decoder.ts';

type Cache = Readonly<Record<string, Tensor>>;

function release(cache: Cache): void {
  for (const { data } of Object.values(cache)) freeMemory(data);
}

/** Rows [from, to) of a tensor, without a copy. */
function rowsOf({ data, dims: [count = 1, ...rest] }: Tensor, from: number, to: number): Tensor {
  const size = data.length / count;
  return { data: data.subarray(from * size, to * size), dims: [to - from, ...rest] };
}

/** Copies of rows, in this order. */
const gathered = (cache: Cache, rows: readonly number[]): Cache =>
  Object.fromEntries(
    Object.entries(cache).map(([name, tensor]) => {
      const size = tensor.data.length / (tensor.dims[0] ?? 1);
      const data = new Float32Array(rows.length * size);
      for (const [at, row] of rows.entries()) data.set(rowsOf(tensor, row, row + 1).data, at * size);
      return [name, { data, dims: [rows.length, ...tensor.dims.slice(1)] }];
    }),
  );

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

/** The logits after the last token. */
function lastOf(all: Float32Array, rows: number, count: number, vocabularySize: number): Float32Array {
  const logits = new Float32Array(rows * vocabularySize);
  for (let row = 0; row < rows; row += 1) {
    const end = (row + 1) * count * vocabularySize;
    logits.set(all.subarray(end - vocabularySize, end), row * vocabularySize);
  }
  return logits;
}

/** The decoder's network with the names and shapes of its caches. */
class DecoderNetwork {
  readonly layout: WhisperLayout;
  /** Caches of the decoder's own keys and values, and of the cross attention's. */
  readonly ownNames: readonly string[];
  readonly crossNames: readonly string[];
  readonly attentionNames: readonly string[];
  /** Values of a position of the encoder. */
  readonly width: number;
  private readonly session: NetworkSession;

  constructor(layout: WhisperLayout, session: NetworkSession) {
    this.layout = layout;
    this.session = session;
    const cacheNames = (kind: 'decoder' | 'encoder'): string[] =>
      Array.from({ length: layout.layers }, (_, layer) =>
        ['key', 'value'].map((part) => `${layer}.${kind}.${part}`),
      ).flat();
    this.ownNames = cacheNames('decoder');
    this.crossNames = cacheNames('encoder');
    this.attentionNames = [...new Set(layout.alignmentHeads.map(([layer]) => `cross_attentions.${layer}`))];
    this.width = layout.heads * layout.headWidth;
  }

  emptyCache(names: readonly string[], rows: number): Cache {
    const { heads, headWidth } = this.layout;
    const empty: Tensor = { data: new Float32Array(0), dims: [rows, heads, 0, headWidth] };
    return Object.fromEntries(names.map((name) => [name, empty]));
  }

  /** @param cross null: `heard` is the encoder's output, from which they are computed into `into` */
  run(
    tokens: readonly (readonly number[])[],
    heard: Tensor,
    caches: { readonly own: Cache; readonly cross: Cache | null },
    outputs: readonly string[],
    into?: Record<string, Tensor>,
  ): Promise<Record<string, Tensor>> {
    const cross = caches.cross ?? this.emptyCache(this.crossNames, tokens.length);
    return this.session.run(
      {
        input_ids: ids(tokens),
        encoder_hidden_states: heard,
        use_cache_branch: { data: Uint8Array.of(caches.cross ? 1 : 0), dims: [1] },
        ...named('past_key_values', { ...caches.own, ...cross }),
      },
      ['logits', ...outputs],
      into,
    );
  }
}

class RuntimeDecoding implements Decoding {
  private readonly network: DecoderNetwork;
  private readonly positions: number;
  private rows: number;
  private cross: Cache;
  private own: Cache;

  constructor(network: DecoderNetwork, rows: number, positions: number, cross: Cache) {
    this.network = network;
    this.positions = positions;
    this.rows = rows;
    this.cross = cross;
    this.own = network.emptyCache(network.ownNames, rows);
  }

  async step(tokens: readonly (readonly number[])[]): Promise<Step> {
    const { network, rows, positions, own, cross } = this;
    const { ownNames, attentionNames, width } = network;
    const { alignmentHeads, heads, vocabularySize } = network.layout;
    const count = tokens[0]?.length ?? 0;
    const outputs = await network.run(
      tokens,
      // Not used once there are cross keys and values.
      { data: new Float32Array(0), dims: [rows, 0, width] },
      { own, cross },
      [...ownNames.map((name) => `present.${name}`), ...attentionNames],
    );
    release(own);
    this.own = taken(outputs, ownNames);
    const all = (outputs['logits'] as Tensor).data;
    return {
      logits: count === 1 ? all : lastOf(all, rows, count, vocabularySize),
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
  }

  keep(wanted: readonly boolean[]): readonly number[] {
    // Rows at either end are dropped; those between others are carried along.
    const from = Math.max(0, wanted.indexOf(true));
    const to = wanted.lastIndexOf(true) + 1;
    if (from > 0 || to < this.rows) {
      this.cross = cacheRows(this.cross, from, to);
      this.own = cacheRows(this.own, from, to);
      this.rows = to - from;
    }
    return Array.from({ length: this.rows }, (_, index) => from + index);
  }

  branch(parents: readonly number[]): void {
    const own = gathered(this.own, parents);
    release(this.own);
    this.own = own;
    // All rows hear the same.
    if (parents.length !== this.rows) this.cross = gathered(this.cross, parents);
    this.rows = parents.length;
  }

  release(): void {
    release(this.own);
  }
}

function windowsOf(
  network: DecoderNetwork,
  rows: number,
  positions: number,
  cross: Cache,
  opening: Float32Array,
): Windows {
  const { vocabularySize } = network.layout;
  return {
    rows,
    opening,
    begin: () => new RuntimeDecoding(network, rows, positions, cross),
    row: (index) =>
      windowsOf(
        network,
        1,
        positions,
        cacheRows(cross, index, index + 1),
        opening.subarray(index * vocabularySize, (index + 1) * vocabularySize),
      ),
    release: () => release(cross),
  };
}

/** Computes the cross keys and values of the windows, and the logits after the start token. */
async function openWindows(
  network: DecoderNetwork,
  heard: readonly EncodedSound[],
  wanted: readonly number[],
): Promise<Windows> {
  const { ownNames, crossNames, width } = network;
  const { frames, heads, headWidth, vocabularySize, tokens: special } = network.layout;
  const rows = heard.length;
  const positions = Math.min(Math.max(...wanted), frames / 2);
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
    const outputs = await network.run(
      [[special.start]],
      { data: values.subarray(0, positions * width), dims: [1, positions, width] },
      { own: network.emptyCache(ownNames, 1), cross: null },
      crossNames.map((name) => `present.${name}`),
      Object.fromEntries(parts) as Record<string, Tensor>,
    );
    opening.set((outputs['logits'] as Tensor).data, row * vocabularySize);
  }
  return windowsOf(network, rows, positions, cross, opening);
}

/** @throws EarshotError tool_unavailable when ONNX Runtime refuses the network */
export async function runtimeDecoder(layout: WhisperLayout): Promise<WhisperDecoder> {
  const session = await createSession(`${layout.id}/decoder`, layout.decoderPath, {
    keepsMemory: false,
    sharedAs: layout.decoderPath,
  });
  const network = new DecoderNetwork(layout, session);
  return {
    open: (heard, wanted) => openWindows(network, heard, wanted),
    close: () => session.close(),
  };
}

// The two networks of a Whisper and the caches between their steps. Rows are windows that are decoded side by side.
import { createSession, type NetworkSession, type Tensor } from '../../../models/sessions.ts';
import type { WhisperLayout } from './layout.ts';

type Values = Float32Array<ArrayBuffer>;
type Cache = Readonly<Record<string, Tensor>>;

/** What the encoder made of one window: handed on as it is. */
export type Heard = Values;

/** What the decoder keeps of some windows whatever it is asked: their cross keys and values. */
export interface Windows {
  readonly rows: number;
  /** Of the encoder, that the decoder looks at. */
  readonly positions: number;
  readonly cross: Cache;
  /** Logits behind `<|startoftranscript|>` alone, row after row: they tell the language, and whether anybody speaks. */
  readonly opening: Float32Array;
}

/** A decoding under way. */
export interface Decoding {
  readonly windows: Windows;
  /** Tokens that went in so far. */
  readonly length: number;
  readonly own: Cache;
}

export interface Step {
  readonly decoding: Decoding;
  /** Behind the last token, row after row. */
  readonly logits: Float32Array;
  /** Cross attention at the last token: of each position that the decoder looks at. */
  attention(row: number, head: number): Float32Array;
  /** Gives back what is not handed on. */
  release(): void;
}

export interface WhisperNetwork {
  readonly layout: WhisperLayout;
  encode(mel: Values): Promise<Heard>;
  /**
   * Computes what decoding of these windows needs again and again.
   * @param positions how many the decoder looks at, 0.02 s each: every step reads all keys and values of all of them, so
   * those of the silence that a window was filled up with are left out
   */
  open(heard: readonly Heard[], positions: number): Promise<Windows>;
  begin(windows: Windows): Decoding;
  /** @param tokens one list per row, all of the same length. The decoding that is given must not be used again. */
  step(decoding: Decoding, tokens: readonly (readonly number[])[]): Promise<Step>;
  /** Rows [from, to) of the windows, without a copy. */
  rows(windows: Windows, from: number, to: number): Windows;
  /** Goes on with rows [from, to) only. The decoding that is given must not be used again. */
  narrow(decoding: Decoding, from: number, to: number): Decoding;
  /** Gives the memory of windows back. */
  release(windows: Windows): void;
  close(): Promise<void>;
}

/** Caches are megabytes a step: given back now, not when the collector comes by. */
function release(cache: Cache): void {
  for (const { data } of Object.values(cache)) {
    const buffer = data.buffer as ArrayBuffer;
    if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength > 0) buffer.transfer(0);
  }
}

/** Rows [from, to) of a tensor, without a copy. */
function rowsOf({ data, dims: [count = 1, ...rest] }: Tensor, from: number, to: number): Tensor {
  const size = data.length / count;
  return { data: data.subarray(from * size, to * size), dims: [to - from, ...rest] };
}

const cacheRows = (cache: Cache, from: number, to: number): Cache =>
  Object.fromEntries(Object.entries(cache).map(([name, tensor]) => [name, rowsOf(tensor, from, to)]));

/** @throws EarshotError tool_unavailable when ONNX Runtime refuses a network */
export async function loadWhisper(layout: WhisperLayout): Promise<WhisperNetwork> {
  const encoder = await createSession(`${layout.id}/encoder`, layout.encoderPath, { keepsMemory: false });
  const decoder = await createSession(`${layout.id}/decoder`, layout.decoderPath, { keepsMemory: false });
  return createNetwork(layout, encoder, decoder);
}

function createNetwork(layout: WhisperLayout, encoder: NetworkSession, decoder: NetworkSession): WhisperNetwork {
  const { layers, heads, headWidth, vocabularySize, alignmentHeads, tokens: special } = layout;
  const allPositions = layout.frames / 2;
  const cacheNames = (kind: 'decoder' | 'encoder'): string[] =>
    Array.from({ length: layers }, (_, layer) => ['key', 'value'].map((part) => `${layer}.${kind}.${part}`)).flat();
  const [ownNames, crossNames] = [cacheNames('decoder'), cacheNames('encoder')];
  const attentionNames = [...new Set(alignmentHeads.map(([layer]) => `cross_attentions.${layer}`))];
  const width = heads * headWidth;
  const empty = (rows: number): Tensor => ({ data: new Float32Array(0), dims: [rows, heads, 0, headWidth] });
  const emptyCache = (names: readonly string[], rows: number): Cache =>
    Object.fromEntries(names.map((name) => [name, empty(rows)]));
  const named = (prefix: string, cache: Cache): Record<string, Tensor> =>
    Object.fromEntries(Object.entries(cache).map(([name, tensor]) => [`${prefix}.${name}`, tensor]));
  const taken = (outputs: Readonly<Record<string, Tensor>>, names: readonly string[]): Cache =>
    Object.fromEntries(names.map((name) => [name, outputs[`present.${name}`] as Tensor]));
  const ids = (tokens: readonly (readonly number[])[]): Tensor<BigInt64Array> => ({
    data: BigInt64Array.from(tokens.flat(), BigInt),
    dims: [tokens.length, tokens[0]?.length ?? 0],
  });

  return {
    layout,
    async encode(mel) {
      const outputs = await encoder.run({ input_features: { data: mel, dims: [1, layout.bands, layout.frames] } }, [
        'last_hidden_state',
      ]);
      return (outputs['last_hidden_state'] as Tensor).data as Values;
    },
    async open(heard, wanted) {
      const rows = heard.length;
      const positions = Math.min(wanted, allPositions);
      const cross: Record<string, Tensor> = Object.fromEntries(
        crossNames.map((name) => [
          name,
          { data: new Float32Array(rows * heads * positions * headWidth), dims: [rows, heads, positions, headWidth] },
        ]),
      );
      const opening = new Float32Array(rows * vocabularySize);
      // One after the other, each into its row: side by side they would need twice the memory.
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
      return { rows, positions, cross, opening };
    },
    begin: (windows) => ({ windows, length: 0, own: emptyCache(ownNames, windows.rows) }),
    async step(decoding, tokens) {
      const { windows, length, own } = decoding;
      const { positions } = windows;
      const count = tokens[0]?.length ?? 0;
      const outputs = await decoder.run(
        {
          input_ids: ids(tokens),
          // Not read once the cross keys and values are there.
          encoder_hidden_states: { data: new Float32Array(0), dims: [windows.rows, 0, width] },
          use_cache_branch: { data: Uint8Array.of(1), dims: [1] },
          ...named('past_key_values', { ...own, ...windows.cross }),
        },
        ['logits', ...ownNames.map((name) => `present.${name}`), ...attentionNames],
      );
      release(own);
      const all = (outputs['logits'] as Tensor).data;
      const logits = count === 1 ? all : new Float32Array(windows.rows * vocabularySize);
      if (count > 1)
        for (let row = 0; row < windows.rows; row += 1) {
          const end = (row + 1) * count * vocabularySize;
          logits.set(all.subarray(end - vocabularySize, end), row * vocabularySize);
        }
      return {
        decoding: { windows, length: length + count, own: taken(outputs, ownNames) },
        logits,
        attention(row, head) {
          const [layer, at] = alignmentHeads[head] as readonly [number, number];
          const { data } = outputs[`cross_attentions.${layer}`] as Tensor;
          const end = (row * heads + at + 1) * count * positions;
          return data.subarray(end - positions, end);
        },
        release() {
          release({ logits: outputs['logits'] as Tensor });
          release(Object.fromEntries(attentionNames.map((name) => [name, outputs[name] as Tensor])));
        },
      };
    },
    rows: (windows, from, to) => ({
      rows: to - from,
      positions: windows.positions,
      cross: cacheRows(windows.cross, from, to),
      opening: windows.opening.subarray(from * vocabularySize, to * vocabularySize),
    }),
    narrow(decoding, from, to) {
      const { windows, length, own } = decoding;
      return { windows: this.rows(windows, from, to), length, own: cacheRows(own, from, to) };
    },
    release: (windows) => release(windows.cross),
    async close() {
      await Promise.all([encoder.close(), decoder.close()]);
    },
  };
}

// A small Whisper decoder with random weights; as a program it prints what it says, for another instruction set.
import { nativeKernels } from '../../../src/library/kernels/load.ts';
import {
  createWhisperDecoder,
  finalVectors,
  layerMatrices,
  layerVectors,
  packWeights,
  type DecodedRow,
  type PackedWeights,
  type Q8Matrix,
  type WhisperDecoderShape,
  type WhisperDecoderWeights,
} from '../../../src/library/kernels/whisper-decoder.ts';
import { seeded } from './signals.ts';

/**
 * Widths that are no multiples of the kernel's own blocks but of what it asks for; a vocabulary that fits into none.
 */
export const smallShape: WhisperDecoderShape = {
  layers: 2,
  heads: 3,
  headWidth: 32,
  feedWidth: 160,
  vocabularySize: 77,
  mostTokens: 12,
};
export const width = smallShape.heads * smallShape.headWidth;
export const heads = [
  [0, 2],
  [1, 0],
] as const;

const gaussian = (random: () => number): number => {
  let sum = -6;
  for (let index = 0; index < 12; index += 1) sum += random();
  return sum;
};
export const gaussians = (random: () => number, length: number, scale = 1): Float32Array =>
  Float32Array.from({ length }, () => scale * gaussian(random));

export const matrix = (random: () => number, rows: number, columns: number): Q8Matrix => ({
  table: Uint8Array.from({ length: rows * columns }, () => Math.floor(random() * 256)),
  scales: Float32Array.from({ length: (rows * columns) / 32 }, () => (0.5 + random()) / (74 * Math.sqrt(columns))),
});

export function smallWeights(seed: number): WhisperDecoderWeights {
  const random = seeded(seed);
  const { layers, feedWidth, vocabularySize, mostTokens } = smallShape;
  const vector = (name: string): Float32Array =>
    name.endsWith('NormWeight') || name === 'normWeight'
      ? gaussians(random, width, 0.1).map((x) => 1 + x)
      : gaussians(random, name === 'feedInBias' ? feedWidth : name === 'positions' ? mostTokens * width : width, 0.3);
  const ofLayer = (name: string): Q8Matrix =>
    matrix(random, name === 'feedIn' ? feedWidth : width, name === 'feedOut' ? feedWidth : width);
  const record = <Name extends string, Value>(names: readonly Name[], of: (name: Name) => Value): Record<Name, Value> =>
    Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>;
  return {
    layers: Array.from({ length: layers }, () => ({
      matrices: record(layerMatrices, ofLayer),
      vectors: record(layerVectors, vector),
    })),
    tokens: matrix(random, vocabularySize, width),
    vectors: record(finalVectors, vector),
  };
}

export interface Said {
  readonly logits: readonly number[];
  readonly attention: readonly number[];
}

/** What the kernel says of some windows and tokens: `steps` lists of a list per row, one after the other. */
export function say(
  packed: PackedWeights,
  windows: readonly { readonly heard: Float32Array; readonly positions: number }[],
  steps: readonly (readonly (readonly number[])[])[],
): Said[] {
  const kernel = createWhisperDecoder(packed);
  const rows = windows.map(({ heard, positions }): DecodedRow => ({
    cross: kernel.open(heard, positions),
    positions,
    own: new Float32Array(kernel.ownLength),
  }));
  let past = 0;
  let last: ReturnType<typeof kernel.step> | null = null;
  for (const tokens of steps) {
    last = kernel.step(rows, tokens, past, heads);
    past += tokens[0]?.length ?? 0;
  }
  return rows.map((_, row) => ({
    logits: [...(last?.logits.subarray(row * smallShape.vocabularySize, (row + 1) * smallShape.vocabularySize) ?? [])],
    attention: [...(last?.attention[row] ?? [])],
  }));
}

/** Windows of different lengths and five tokens for each. */
export function smallTask(seed: number, count: number) {
  const random = seeded(seed);
  const windows = Array.from({ length: count }, (_, index) => {
    const positions = 21 + 13 * index;
    return { positions, heard: gaussians(random, positions * width) };
  });
  const tokens = windows.map(() => Array.from({ length: 5 }, () => Math.floor(random() * smallShape.vocabularySize)));
  return { windows, tokens };
}

if (process.argv[2] === 'say') {
  const { windows, tokens } = smallTask(5, 9);
  const said = say(packWeights(smallShape, smallWeights(4)), windows, [tokens]);
  console.log(JSON.stringify({ simd: nativeKernels().simd, said }));
}

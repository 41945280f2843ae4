// Whisper's decoder, of native/wasm/whisper.cc.
import type { NativeKernels } from '../load.ts';
import { atLeast, elementsOf, expect, typedArray, wholeOf } from './checks.ts';
import type { Instance, Kind } from './instance.ts';
import type { Residents } from './residents.ts';
import { blockSize, created, expectSize, type Network, setters, weightsOf } from './weights.ts';

const mostPositions = 65_536;
const mostRows = 64;

interface Decoder extends Network {
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly vocabulary: number;
  readonly mostTokens: number;
  readonly ownLength: number;
}
type Names = `whisperDecoder${'Create' | 'SetMatrix' | 'SetVector' | 'Sizes' | 'CrossLength' | 'Open' | 'Step'}`;

/** The tokens so far of one window, in each layer's keys and values. */
function* cachesOf(facts: Decoder): Generator<number> {
  const cache = facts.mostTokens * facts.width;
  for (let from = 0; from < facts.ownLength; from += cache) yield from;
}

/** Keys and values of what a window's encoder heard, in 8 bits: their number of float32 in memory. */
function crossLengthOf(instance: Instance, at: number, { layers, heads, width }: Decoder, positions: number): number {
  expectSize(layers * positions * (2 * width + 16 * heads));
  return instance.run.decoderCrossBytes(at, positions) / Float32Array.BYTES_PER_ELEMENT;
}

function rowsOf(value: unknown, name: string, count: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length < count)
    throw new TypeError(`Expected array of an element per row for ${name}`);
  return Array.from({ length: count }, (_, row) => value[row] as unknown);
}

function rowOf(value: unknown, name: string, least: number): Float32Array {
  const row = typedArray(value, 'Float32Array', name);
  if (row.length >= least) return row;
  throw new TypeError(`Expected at least ${least} elements in each of ${name} but received ${row.length}`);
}

/** Pairs of a layer and a head. */
function headsOf(value: unknown, { layers, heads }: Decoder): Int32Array {
  const given = elementsOf(value, 'Int32Array', 'aligned', 0);
  const pairs = given.subarray(0, given.length - (given.length % 2));
  for (const [index, number] of pairs.entries())
    expect(number >= 0 && number < (index % 2 === 0 ? layers : heads), 'heads of the network in aligned');
  return pairs;
}

/** The call of a step, whose windows bring keys and values of their tokens so far and get those of new ones. */
function stepping(instance: Instance, kind: Kind<Decoder>, residents: Residents): NativeKernels['whisperDecoderStep'] {
  /** The address of a window's memory of its tokens, with those so far. */
  const ownIn = (facts: Decoder, own: Float32Array, past: number): number => {
    const at = instance.room(facts.ownLength * Float32Array.BYTES_PER_ELEMENT);
    const inside = new Float32Array(instance.bytes.buffer, at, facts.ownLength);
    for (const from of cachesOf(facts)) inside.set(own.subarray(from, from + past * facts.width), from);
    return at;
  };
  /** Copies what the step added back. */
  const ownOut = (facts: Decoder, own: Float32Array, at: number, past: number, count: number): void => {
    const inside = new Float32Array(instance.bytes.buffer, at, facts.ownLength);
    for (const from of cachesOf(facts)) {
      const first = from + past * facts.width;
      own.set(inside.subarray(first, first + count * facts.width), first);
    }
  };
  /** Planes of each window, and the numbers of attention of all. */
  const windowsOf = (
    { at, facts }: ReturnType<Kind<Decoder>['of']>,
    positions: Int32Array,
    crosses: readonly unknown[],
    owns: readonly unknown[],
  ): readonly { readonly cross: Float32Array; readonly own: Float32Array }[] =>
    crosses.map((cross, row) => {
      const here = positions[row] as number;
      expect(here >= 1 && here <= mostPositions, 'positive positions');
      return {
        cross: rowOf(cross, 'cross', crossLengthOf(instance, at, facts, here)),
        own: rowOf(owns[row], 'own', facts.ownLength),
      };
    });

  return (handle, weights, rows, count, past, tokens, positions, cross, own, aligned, logits, attention) => {
    const kernel = kind.of(handle);
    const { at, facts } = kernel;
    const added = wholeOf(count, 'count', 1, facts.mostTokens);
    const before = wholeOf(past, 'past', 0, facts.mostTokens - added);
    const all = wholeOf(rows, 'rows', 1, mostRows);
    const [crosses, owns] = [rowsOf(cross, 'cross', all), rowsOf(own, 'own', all)];
    const given = weightsOf(weights, facts);
    const said = elementsOf(tokens, 'Int32Array', 'tokens', all * added);
    const heard = elementsOf(positions, 'Int32Array', 'positions', all);
    const heads = headsOf(aligned, facts);
    const scores = atLeast(logits, 'logits', all * facts.vocabulary);
    const seen = typedArray(attention, 'Float32Array', 'attention');
    for (const token of said.subarray(0, all * added))
      expect(token >= 0 && token < facts.vocabulary, 'tokens of the vocabulary');
    const windows = windowsOf(kernel, heard, crosses, owns);
    const looked = heard.subarray(0, all).reduce((sum, here) => sum + (heads.length / 2) * here, 0);
    expect(seen.length >= looked, 'more elements in attention');

    const inside = residents.at(given);
    const crossesIn = windows.map((window) => residents.at(window.cross));
    const ownsIn = windows.map((window) => ownIn(facts, window.own, before));
    instance.run.decoderStep(
      at,
      inside,
      all,
      added,
      before,
      instance.in(said, all * added),
      instance.in(heard, all),
      instance.pointers(crossesIn),
      instance.pointers(ownsIn),
      instance.in(heads),
      heads.length / 2,
      instance.out(scores, all * facts.vocabulary),
      instance.out(seen, looked),
    );
    for (const [row, window] of windows.entries()) ownOut(facts, window.own, ownsIn[row] as number, before, added);
  };
}

export function decoderKernels(instance: Instance, residents: Residents): Pick<NativeKernels, Names> {
  const { run } = instance;
  const kind = instance.kind<Decoder>('decoderFree');
  const { setMatrix, setVector } = setters(instance, kind, residents);
  return {
    whisperDecoderCreate(layers, heads, headWidth, feedWidth, vocabulary, mostTokens) {
      const shape = {
        layers: wholeOf(layers, 'layers', 1, 256),
        heads: wholeOf(heads, 'heads', 1, 256),
        headWidth: wholeOf(headWidth, 'headWidth', 8, 1024),
        feedWidth: wholeOf(feedWidth, 'feedWidth', 32, 65_536),
        vocabulary: wholeOf(vocabulary, 'vocabulary', 1, 1_048_576),
        mostTokens: wholeOf(mostTokens, 'mostTokens', 1, 65_536),
      };
      const width = shape.heads * shape.headWidth;
      expect(
        shape.headWidth % 8 === 0 && width % blockSize === 0 && shape.feedWidth % blockSize === 0,
        'headWidth to be a multiple of 8 and widths multiples of 32',
      );
      const ownLength = shape.layers * 2 * shape.mostTokens * width;
      expectSize(2 * width * (shape.layers * (8 * width + 2 * shape.feedWidth + 64) + shape.vocabulary + 16));
      expectSize(4 * Math.max(ownLength, shape.mostTokens * width));
      const at = run.decoderCreate(
        shape.layers,
        shape.heads,
        shape.headWidth,
        shape.feedWidth,
        shape.vocabulary,
        shape.mostTokens,
      );
      return created(instance, kind, 'decoderWeights', at, { ...shape, width, ownLength });
    },
    whisperDecoderSizes(handle) {
      const { facts } = kind.of(handle);
      return { weightBytes: facts.bytes, ownLength: facts.ownLength };
    },
    whisperDecoderSetMatrix: setMatrix,
    whisperDecoderSetVector: setVector,
    whisperDecoderCrossLength(handle, positions) {
      const { at, facts } = kind.of(handle);
      return crossLengthOf(instance, at, facts, wholeOf(positions, 'positions', 1, mostPositions));
    },
    whisperDecoderOpen(handle, weights, heard, positions, cross) {
      const { at, facts } = kind.of(handle);
      const count = wholeOf(positions, 'positions', 1, mostPositions);
      const given = weightsOf(weights, facts);
      const from = atLeast(heard, 'heard', count * facts.width);
      const length = crossLengthOf(instance, at, facts, count);
      const to = atLeast(cross, 'cross', length);
      residents.forget(to);
      const inside = residents.at(given);
      const listened = instance.in(from, count * facts.width);
      run.decoderOpen(at, inside, listened, count, instance.out(to, length));
    },
    whisperDecoderStep: stepping(instance, kind, residents),
  };
}

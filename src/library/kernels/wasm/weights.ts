// Calls that fill the weights of Whisper's networks, which lie where JavaScript keeps them.
import type { Handle, NativeKernels } from '../load.ts';
import { atLeast, elementsOf, expect, wholeOf } from './checks.ts';
import type { ExportName, Instance, Kind } from './instance.ts';
import type { Residents } from './residents.ts';

/** Inputs of a matrix that have a scale of their own. */
export const blockSize = 32;
/** Of a network's weights: addresses inside have 32 bits. */
const mostWeightBytes = 2 ** 31;

export interface Network {
  /** The address of its list of weights. */
  readonly weights: number;
  readonly bytes: number;
}

export const weightsOf = (value: unknown, { bytes }: Network): Uint8Array => {
  const weights = elementsOf(value, 'Uint8Array', 'weights', bytes);
  if (weights.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0) return weights;
  throw new TypeError(`Expected typed array of at least ${bytes} elements for weights but received another value`);
};

/** A bound of a network's weights, from above: sizes inside are counted in 32 bits. */
export const expectSize = (bytes: number): void =>
  expect(bytes < mostWeightBytes, `a network whose weights take less than ${mostWeightBytes} bytes`);

/** Calls that fill the weights of networks of one kind. */
export function setters(
  instance: Instance,
  kind: Kind<Network>,
  residents: Residents,
): {
  readonly setMatrix: NativeKernels['whisperDecoderSetMatrix'];
  readonly setVector: NativeKernels['whisperDecoderSetVector'];
} {
  const { run } = instance;
  return {
    setMatrix(handle, weights, index, table, scales) {
      const { facts } = kind.of(handle);
      const which = wholeOf(index, 'index', 0, run.weightMatrices(facts.weights) - 1);
      run.weightMatrixPlace(facts.weights, which);
      const [rows = 0, columns = 0, place = 0, bytes = 0] = instance.numbers();
      const into = weightsOf(weights, facts);
      const from = elementsOf(table, 'Uint8Array', 'table', rows * columns);
      const by = atLeast(scales, 'scales', (rows * columns) / blockSize);
      residents.forget(into);
      const to = instance.out(into.subarray(place), bytes);
      run.weightMatrixPack(
        instance.in(from, rows * columns),
        instance.in(by, (rows * columns) / blockSize),
        rows,
        columns,
        to,
      );
    },
    setVector(handle, weights, index, values) {
      const { facts } = kind.of(handle);
      const which = wholeOf(index, 'index', 0, run.weightVectors(facts.weights) - 1);
      run.weightVectorPlace(facts.weights, which);
      const [length = 0, , place = 0] = instance.numbers();
      const into = weightsOf(weights, facts);
      const from = atLeast(values, 'values', length);
      residents.forget(into);
      into.set(new Uint8Array(from.buffer, from.byteOffset, length * from.BYTES_PER_ELEMENT), place);
    },
  };
}

export const created = <Facts extends Network>(
  instance: Instance,
  kind: Kind<Facts>,
  weightsIn: ExportName,
  at: number,
  facts: Omit<Facts, keyof Network>,
): Handle => {
  const weights = instance.run[weightsIn](at);
  return kind.handle(at, { ...facts, weights, bytes: instance.run.weightBytes(weights) } as Facts);
};

import { type NetworkPort, nativeKernels, type PlacedTensor } from './load.ts';

type Elements = PlacedTensor['data'];

/** The values of ONNX's TensorProto.DataType that our networks use. */
const elementTypes = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9, float16: 10 } as const;
export type ElementType = keyof typeof elementTypes;

export interface SharedTensor {
  readonly type: ElementType;
  readonly dims: readonly number[];
  /** float16, as raw bits. */
  readonly data: Elements;
}

/** A thread's handle of a network that several threads run. */
export interface SharedNetwork {
  readonly inputs: readonly NetworkPort[];
  readonly outputs: readonly NetworkPort[];
  /** Blocks this thread until the run is complete. */
  run(
    feeds: Readonly<Record<string, SharedTensor>>,
    wanted: Readonly<Record<string, SharedTensor | null>>,
  ): Record<string, SharedTensor>;
  /** Memory is freed when all threads have closed their handles. */
  close(): void;
}

export const elementTypeOf = (number: number): ElementType | null =>
  (Object.keys(elementTypes) as ElementType[]).find((name) => elementTypes[name] === number) ?? null;

function elementsOf(type: ElementType, buffer: ArrayBuffer): Elements {
  if (type === 'float32') return new Float32Array(buffer);
  if (type === 'int64') return new BigInt64Array(buffer);
  if (type === 'int32') return new Int32Array(buffer);
  return type === 'float16' ? new Uint16Array(buffer) : new Uint8Array(buffer);
}

/** Is the library of onnxruntime-node loaded in this process? Import it first. */
export const findsRuntime = (): boolean => nativeKernels().networkRuntimeFound();

/**
 * Opens a network in the ONNX Runtime that onnxruntime-node has loaded into this process. The first thread that opens a
 * key loads it while others wait; all threads then run the same session.
 * @param key identifies the network's bytes
 * @param source its bytes, or the path of its file
 * @param keepsMemory keep the memory of a run for the next run
 * @returns null when the runtime's library is not found in this process
 * @throws Error with the runtime's message
 */
export function openSharedNetwork(
  key: string,
  source: Uint8Array | string,
  keepsMemory: boolean,
): SharedNetwork | null {
  const kernels = nativeKernels();
  const handle = kernels.networkOpen(key, source, keepsMemory);
  if (handle === undefined) return null;
  return {
    inputs: kernels.networkInputs(handle),
    outputs: kernels.networkOutputs(handle),
    run(feeds, wanted) {
      const place = (name: string, { type, dims, data }: SharedTensor): PlacedTensor => ({
        name,
        type: elementTypes[type],
        dims,
        data,
      });
      const names = Object.keys(wanted);
      const answers = kernels.networkRun(
        handle,
        Object.entries(feeds).map(([name, tensor]) => place(name, tensor)),
        names.map((name) => {
          const given = wanted[name];
          return given ? place(name, given) : { name, type: 0, dims: [], data: undefined };
        }),
      );
      return Object.fromEntries(
        answers.map((answer, index) => {
          const name = names[index] as string;
          if (answer === null) return [name, wanted[name] as SharedTensor];
          const type = elementTypeOf(answer.type);
          if (type === null) throw new Error(`The output ${name} has elements of type ${answer.type}`);
          return [name, { type, dims: answer.dims, data: elementsOf(type, answer.buffer) }];
        }),
      );
    },
    close: () => kernels.networkClose(handle),
  };
}

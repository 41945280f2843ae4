import type { InferenceSession } from 'onnxruntime-node';
import { EarshotError } from '../core/errors.ts';
import { importRuntime } from './runtime.ts';
import { fromHalf, toHalf } from './half.ts';

/** float32, int64, int32 and bool: the input types of our networks. */
type TensorData = Float32Array | BigInt64Array | Int32Array | Uint8Array;

export interface Tensor<Data extends TensorData = Float32Array> {
  readonly data: Data;
  readonly dims: readonly number[];
}

const elementType = (data: TensorData): 'float32' | 'int64' | 'int32' | 'bool' => {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof BigInt64Array) return 'int64';
  return data instanceof Int32Array ? 'int32' : 'bool';
};

/** A loaded network that runs on one core. */
export interface NetworkSession {
  /** Shapes of the inputs by name; a named dimension may have any length. */
  readonly inputs: ReadonlyMap<string, readonly (number | string)[]>;
  /**
   * Runs synchronously, after a turn of the event loop. Networks of half precision take and return float32 here.
   * @param wanted names of the outputs to compute
   * @param into memory for some of them, of exactly their shape: written directly instead of copied
   */
  run(
    feeds: Readonly<Record<string, Tensor<TensorData>>>,
    wanted: readonly string[],
    into?: Readonly<Record<string, Tensor>>,
  ): Promise<Record<string, Tensor>>;
  close(): Promise<void>;
}

/**
 * ONNX Runtime's JavaScript checks once, at the first tensor, for a Float16Array and then uses it, but its native part
 * cannot read one (1.27). Without it, halves are the bits of a Uint16Array, which works.
 */
function halvesAsBits(makeTensor: () => unknown): void {
  const known = Object.getOwnPropertyDescriptor(globalThis, 'Float16Array');
  if (!known) return;
  Reflect.deleteProperty(globalThis, 'Float16Array');
  try {
    makeTensor();
  } finally {
    Object.defineProperty(globalThis, 'Float16Array', known);
  }
}

export interface SessionOptions {
  /**
   * Keeps a run's memory for the next one: faster for small networks that run often. Default true; false for networks
   * whose runs take a hundred megabytes.
   */
  readonly keepsMemory?: boolean;
  /**
   * Compares the network's answer to a small input with the stored one, if there is one. Default: on processors other
   * than x64, on which the stored ones were computed.
   */
  readonly checked?: boolean;
}

/**
 * Loads a network into ONNX Runtime. Pass only bytes or files whose hash was checked.
 * @param name for messages
 * @param source its bytes, or the path of its file, which ONNX Runtime reads itself with weights in files beside it
 * @throws EarshotError tool_unavailable when the runtime does not load or refuses the network, or this processor
 *   computes it wrong
 */
export async function createSession(
  name: string,
  source: Uint8Array | string,
  { keepsMemory = true, checked = process.arch !== 'x64' }: SessionOptions = {},
): Promise<NetworkSession> {
  // Read by the runtime when it is loaded.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  const unavailable = (what: string, cause: unknown): EarshotError =>
    new EarshotError('tool_unavailable', `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
      details: { model: name },
    });
  const { InferenceSession, Tensor: RuntimeTensor } = await importRuntime();
  halvesAsBits(() => new RuntimeTensor('float32', new Float32Array(1)));
  let session: InferenceSession;
  try {
    const options: InferenceSession.SessionOptions = {
      executionProviders: ['cpu'],
      // Several networks at once use the cores; spinning threads would only compete with each other.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      graphOptimizationLevel: 'all',
      enableCpuMemArena: keepsMemory,
      logSeverityLevel: 3,
      // On arm64 with SME its convolutions with padding are wrong (microsoft/onnxruntime#28571, fixed in 1.29).
      extra: { mlas: { disable_kleidiai: '1' } },
    };
    session = await (typeof source === 'string'
      ? InferenceSession.create(source, options)
      : InferenceSession.create(source, options));
  } catch (thrown) {
    throw unavailable(`ONNX Runtime refuses the model ${name}`, thrown);
  }
  const halves = (metadata: InferenceSession['inputMetadata']): ReadonlySet<string> =>
    new Set(metadata.filter((one) => one.isTensor && one.type === 'float16').map((one) => one.name));
  const [halfInputs, halfOutputs] = [halves(session.inputMetadata), halves(session.outputMetadata)];
  const network: NetworkSession = {
    inputs: new Map(session.inputMetadata.map((input) => [input.name, input.isTensor ? input.shape : []])),
    async run(feeds, wanted, into = {}) {
      const made = ({ data, dims }: Tensor<TensorData>, half = false): InstanceType<typeof RuntimeTensor> =>
        half && data instanceof Float32Array
          ? new RuntimeTensor('float16', toHalf(data), dims)
          : new RuntimeTensor(elementType(data), data, dims);
      const inputs = Object.fromEntries(
        Object.entries(feeds).map(([key, tensor]) => [key, made(tensor, halfInputs.has(key))]),
      );
      const fetches = Object.fromEntries(
        wanted.map((key) => {
          const place = halfOutputs.has(key) ? undefined : into[key];
          return [key, place ? made(place) : null];
        }),
      );
      const outputs = await session.run(inputs, fetches);
      return Object.fromEntries(
        wanted.map((key) => {
          const tensor = outputs[key];
          if (!tensor) throw new EarshotError('internal_error', `The model ${name} has no output ${key}`);
          if (!halfOutputs.has(key)) return [key, { data: tensor.data as Float32Array, dims: tensor.dims }];
          const { buffer, byteOffset, length } = tensor.data as Uint16Array;
          const data = fromHalf(new Uint16Array(buffer, byteOffset, length));
          into[key]?.data.set(data);
          return [key, { data: into[key]?.data ?? data, dims: tensor.dims }];
        }),
      );
    },
    close: () => session.release(),
  };
  if (checked) {
    const { requireRight } = await import('./network-check.ts');
    await requireRight(name, network);
  }
  return network;
}

/** Of this thread, by key. */
const kept = new Map<string, Promise<NetworkSession>>();

/**
 * A session that this thread keeps for its next piece of work.
 * @param key identifies the network's bytes
 */
export function keptSession(key: string, make: () => Promise<NetworkSession>): Promise<NetworkSession> {
  const known = kept.get(key);
  if (known) return known;
  const made = make();
  made.catch(() => kept.delete(key));
  kept.set(key, made);
  return made;
}

/** Closes this thread's kept sessions, for long work that needs the memory. None of them may be running. */
export async function closeKeptSessions(): Promise<void> {
  const all = [...kept.values()];
  kept.clear();
  await Promise.all(all.map(async (session) => (await session).close()));
}

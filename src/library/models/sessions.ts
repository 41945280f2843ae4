import type { InferenceSession } from 'onnxruntime-node';
import { EarshotError } from '../core/errors.ts';
import { importRuntime } from './runtime.ts';
import { fromHalf, toHalf } from './half.ts';

/** float32, int64, int32 and bool: what the networks here take. */
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

/** A network that is ready to run, on one core. */
export interface NetworkSession {
  /** Shapes of the inputs by name; a dimension that is a word may have any length. */
  readonly inputs: ReadonlyMap<string, readonly (number | string)[]>;
  /**
   * Runs synchronously inside, after a turn of the event loop. Networks of half precision take and give float32 here.
   * @param wanted names of the outputs to compute
   * @param into memory for some of them, of the very shape that they have: they are written there and not copied
   */
  run(
    feeds: Readonly<Record<string, Tensor<TensorData>>>,
    wanted: readonly string[],
    into?: Readonly<Record<string, Tensor>>,
  ): Promise<Record<string, Tensor>>;
  close(): Promise<void>;
}

/**
 * ONNX Runtime's JavaScript looks once, at the first tensor, whether there is a Float16Array and then uses it, but its
 * native part reads nothing of one (1.27). Without it, halves are the bits of a Uint16Array, which is read.
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
   * Memory of a run is kept for the next one: quicker for small networks that run often. Default true; false for
   * networks whose runs take a hundred megabytes.
   */
  readonly keepsMemory?: boolean;
  /**
   * Is the network's answer to a small input compared with the stored one, as far as there is one? Default: on processors
   * other than x64, on which the stored ones were computed.
   */
  readonly checked?: boolean;
}

/**
 * Loads a network into ONNX Runtime. Hand it only what was held against its hash.
 * @param name for messages
 * @param source its bytes, or the path of its file, which ONNX Runtime reads itself with the weights that lie beside it
 * @throws EarshotError tool_unavailable when the runtime does not load or refuses the network, or this processor computes it
 *   wrong
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
      // Cores are shared out by running several networks at once; spinning threads would only take them from each
      // other.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      graphOptimizationLevel: 'all',
      enableCpuMemArena: keepsMemory,
      logSeverityLevel: 3,
      // On arm64 with SME its convolutions are wrong with padding (microsoft/onnxruntime#28571, put right in 1.29).
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

/** Of this thread, by what they run. */
const kept = new Map<string, Promise<NetworkSession>>();

/**
 * A session that this thread keeps for its next piece of work.
 * @param key of the network's very bytes
 */
export function keptSession(key: string, make: () => Promise<NetworkSession>): Promise<NetworkSession> {
  const known = kept.get(key);
  if (known) return known;
  const made = make();
  made.catch(() => kept.delete(key));
  kept.set(key, made);
  return made;
}

/** Closes what this thread keeps: for work that goes on for long and needs the memory. Nothing of it may be running. */
export async function closeKeptSessions(): Promise<void> {
  const all = [...kept.values()];
  kept.clear();
  await Promise.all(all.map(async (session) => (await session).close()));
}

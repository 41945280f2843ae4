import { EarshotError } from '../core/errors/errors.ts';
import { fromHalf, toHalf } from './half.ts';
import { openOwn, openShared, type RawSession, type RawTensor } from './raw-sessions.ts';

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
  /**
   * Identifies the network's bytes: threads of this process that give the same key run one network, whose weights are
   * in memory once. Default: the thread has a network of its own. See `sharesNetworks`.
   */
  readonly sharedAs?: string;
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
  { keepsMemory = true, checked = process.arch !== 'x64', sharedAs }: SessionOptions = {},
): Promise<NetworkSession> {
  let session: RawSession;
  try {
    const shared = sharedAs === undefined ? null : await openShared(sharedAs, source, keepsMemory);
    session = shared ?? (await openOwn(source, keepsMemory));
  } catch (thrown) {
    if (thrown instanceof EarshotError) throw thrown;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new EarshotError('tool_unavailable', `ONNX Runtime refuses the model ${name}: ${why}`, {
      cause: thrown,
      details: { model: name },
    });
  }
  const halves = (ports: RawSession['inputs']): ReadonlySet<string> =>
    new Set(ports.filter(({ type }) => type === 'float16').map((one) => one.name));
  const [halfInputs, halfOutputs] = [halves(session.inputs), halves(session.outputs)];
  const network: NetworkSession = {
    inputs: new Map(session.inputs.map((input) => [input.name, input.shape])),
    async run(feeds, wanted, into = {}) {
      const made = ({ data, dims }: Tensor<TensorData>, half = false): RawTensor =>
        half && data instanceof Float32Array
          ? { type: 'float16', data: toHalf(data), dims }
          : { type: elementType(data), data, dims };
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

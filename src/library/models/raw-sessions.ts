// Sessions of ONNX Runtime on raw tensors: this thread's own, or one that threads share.
import type { InferenceSession } from 'onnxruntime-node';
import { elementTypeOf, findsRuntime, openSharedNetwork, type SharedTensor } from '../kernels/shared-network.ts';
import { importRuntime } from './runtime.ts';

export type RawTensor = SharedTensor;

export interface RawPort {
  readonly name: string;
  /** Element type; null: not used by our networks. */
  readonly type: string | null;
  readonly shape: readonly (number | string)[];
}

export interface RawSession {
  readonly inputs: readonly RawPort[];
  readonly outputs: readonly RawPort[];
  /** Runs synchronously, after a turn of the event loop. */
  run(
    feeds: Readonly<Record<string, RawTensor>>,
    wanted: Readonly<Record<string, RawTensor | null>>,
  ): Promise<Readonly<Record<string, Pick<RawTensor, 'data' | 'dims'>>>>;
  release(): Promise<void>;
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

type Runtime = Awaited<ReturnType<typeof importRuntime>>;

async function loadRuntime(): Promise<Runtime> {
  // Read by the runtime when it is loaded.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  return importRuntime();
}

/** onnxruntime-node cannot read shared memory, so such bytes are copied. */
async function create(
  { create: load }: Pick<Runtime['InferenceSession'], 'create'>,
  source: Uint8Array | string,
  options: InferenceSession.SessionOptions,
): Promise<InferenceSession> {
  if (typeof source === 'string') return load(source, options);
  if (source.buffer instanceof ArrayBuffer) return load(source, options);
  const copy = source.slice();
  try {
    return await load(copy, options);
  } finally {
    // Frees tens of megabytes now instead of at the next garbage collection.
    copy.buffer.transfer(0);
  }
}

/**
 * A session of this thread.
 * @throws EarshotError tool_unavailable without the runtime; Error with the runtime's message
 */
export async function openOwn(source: Uint8Array | string, keepsMemory: boolean): Promise<RawSession> {
  const { InferenceSession, Tensor } = await loadRuntime();
  halvesAsBits(() => new Tensor('float32', new Float32Array(1)));
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
  const session = await create(InferenceSession, source, options);
  const ports = (metadata: InferenceSession['inputMetadata']): RawPort[] =>
    metadata.map((one) => ({
      name: one.name,
      type: one.isTensor ? one.type : null,
      shape: one.isTensor ? one.shape : [],
    }));
  const made = ({ type, data, dims }: RawTensor): InstanceType<typeof Tensor> => new Tensor(type, data, dims);
  return {
    inputs: ports(session.inputMetadata),
    outputs: ports(session.outputMetadata),
    async run(feeds, wanted) {
      const outputs = await session.run(
        Object.fromEntries(Object.entries(feeds).map(([name, tensor]) => [name, made(tensor)])),
        Object.fromEntries(Object.entries(wanted).map(([name, place]) => [name, place && made(place)])),
      );
      return outputs as unknown as Readonly<Record<string, RawTensor>>;
    },
    release: () => session.release(),
  };
}

/**
 * A session whose network other threads of this process run, too: see `openSharedNetwork`.
 * @returns null when threads cannot share
 * @throws EarshotError tool_unavailable without the runtime; Error with the runtime's message
 */
export async function openShared(
  key: string,
  source: Uint8Array | string,
  keepsMemory: boolean,
): Promise<RawSession | null> {
  await loadRuntime();
  const network = openSharedNetwork(key, source, keepsMemory);
  if (network === null) return null;
  const ports = (declared: typeof network.inputs): RawPort[] =>
    declared.map(({ name, type, dims }) => ({ name, type: elementTypeOf(type), shape: dims }));
  return {
    inputs: ports(network.inputs),
    outputs: ports(network.outputs),
    async run(feeds, wanted) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return network.run(feeds, wanted);
    },
    release: () => Promise.resolve(network.close()),
  };
}

/** Can threads share a network on this machine? If not, each has its own copy of the weights. */
export async function sharesNetworks(): Promise<boolean> {
  await loadRuntime();
  return findsRuntime();
}

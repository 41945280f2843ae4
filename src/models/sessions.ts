import type { InferenceSession } from 'onnxruntime-node';
import { EarshotError } from '../core/errors.ts';

export interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** A network that is ready to run, on one core. */
export interface NetworkSession {
  /**
   * Runs synchronously inside, after a turn of the event loop.
   * @param wanted names of the outputs to compute
   */
  run(feeds: Readonly<Record<string, Tensor>>, wanted: readonly string[]): Promise<Record<string, Tensor>>;
  close(): Promise<void>;
}

/**
 * Loads a network into ONNX Runtime. Hand it only bytes that were held against the manifest.
 * @param name for messages
 * @throws EarshotError tool_unavailable when the runtime does not load or refuses the network
 */
export async function createSession(name: string, bytes: Uint8Array): Promise<NetworkSession> {
  // Read by the runtime when it is loaded.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  const unavailable = (what: string, cause: unknown): EarshotError =>
    new EarshotError('tool_unavailable', `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
      details: { model: name },
    });
  const runtime = await import('onnxruntime-node').catch((thrown: unknown) => {
    throw unavailable('ONNX Runtime cannot be loaded', thrown);
  });
  const { InferenceSession, Tensor: RuntimeTensor } = runtime.default ?? runtime;
  let session: InferenceSession;
  try {
    session = await InferenceSession.create(bytes, {
      executionProviders: ['cpu'],
      // Cores are shared out by running several networks at once; spinning threads would only take them from each
      // other.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      graphOptimizationLevel: 'all',
      // Freed at the end of each run, so that one long piece does not hold its memory for ever.
      enableCpuMemArena: true,
      logSeverityLevel: 3,
    });
  } catch (thrown) {
    throw unavailable(`ONNX Runtime refuses the model ${name}`, thrown);
  }
  return {
    async run(feeds, wanted) {
      const inputs = Object.fromEntries(
        Object.entries(feeds).map(([key, { data, dims }]) => [key, new RuntimeTensor('float32', data, dims)]),
      );
      const outputs = await session.run(inputs, [...wanted]);
      return Object.fromEntries(
        wanted.map((key) => {
          const tensor = outputs[key];
          if (!tensor) throw new EarshotError('internal_error', `The model ${name} has no output ${key}`);
          return [key, { data: tensor.data as Float32Array, dims: tensor.dims }];
        }),
      );
    },
    close: () => session.release(),
  };
}

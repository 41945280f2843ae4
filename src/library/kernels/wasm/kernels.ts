// The kernels as WebAssembly, for systems without an addon of ours and for browsers: every function of the addon that
// computes, with the same checks and messages.
import type { NativeKernels } from '../load.ts';
import { compileModule, Instance, isTrap } from './instance.ts';
import { decoderKernels } from './decoder.ts';
import { encoderKernels } from './encoder.ts';
import { levelKernels } from './levels.ts';
import { Residents } from './residents.ts';
import { soundKernels } from './sound.ts';
import { wordKernels } from './words.ts';

/** Networks of ONNX Runtime that threads share are the addon's: without it each has its own. */
const withoutNetworks = {
  networkRuntimeFound: () => false,
  networkOpen: () => undefined,
  networkInputs: () => [],
  networkOutputs: () => [],
  networkRun: () => [],
  networkClose: () => {},
} satisfies Partial<NativeKernels>;

type Calls = Readonly<Record<string, (...given: unknown[]) => unknown>>;

function callsOf(instance: Instance): Calls {
  const residents = new Residents(instance);
  const all = {
    ...levelKernels(instance),
    ...soundKernels(instance),
    ...wordKernels(instance),
    ...decoderKernels(instance, residents),
    ...encoderKernels(instance, residents),
  } satisfies Omit<NativeKernels, 'simd' | keyof typeof withoutNetworks>;
  return all as unknown as Calls;
}

/**
 * A thread's kernels: an instance of the module, with memory of its own.
 * @param bytes of earshot.wasm
 * @throws Error when that is no module
 */
export function wasmKernels(bytes: Uint8Array): NativeKernels {
  const module = compileModule(bytes);
  let instance = new Instance(module);
  let calls = callsOf(instance);
  const kernels = Object.fromEntries(
    Object.keys(calls).map((name) => [
      name,
      (...given: unknown[]): unknown => {
        const call = calls[name] as (...given: unknown[]) => unknown;
        try {
          return instance.call(() => call(...given));
        } catch (thrown) {
          if (!isTrap(thrown)) throw thrown;
          // Handles of the instance that is lost are refused from now on.
          instance = new Instance(module);
          calls = callsOf(instance);
          throw new RangeError('WebAssembly memory did not suffice for this kernel', { cause: thrown });
        }
      },
    ]),
  );
  return { simd: 'wasm', ...kernels, ...withoutNetworks } as unknown as NativeKernels;
}

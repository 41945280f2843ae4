import createRnnoise, { type RnnoiseModule } from '@jitsi/rnnoise-wasm/dist/rnnoise-sync.js';
import { withVectorLayers } from '../../../kernels/rnnoise-layers.ts';

/** TypeScript has it among the types of browsers only. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: { Module: new (binary: Uint8Array) => object };
};

/**
 * RNNoise's WebAssembly, with the layers of kernels/rnnoise-layers.ts. The package keeps its binary in a variable of
 * its own and compiles it with `new WebAssembly.Module` before its function returns: that call is the only place to
 * intercept it.
 * @param change what is compiled instead of the binary; null: the binary as it is
 */
export function openRnnoise(change: (binary: Uint8Array) => Uint8Array | null = withVectorLayers): RnnoiseModule {
  const { Module } = WebAssembly;
  /** `new` of a function that returns an object answers with that object. */
  function Changed(binary: Uint8Array): object {
    return new Module(change(binary) ?? binary);
  }
  // Fails where built-in objects are frozen; RNNoise then runs unchanged.
  Reflect.set(WebAssembly, 'Module', Changed);
  try {
    return createRnnoise();
  } finally {
    Reflect.set(WebAssembly, 'Module', Module);
  }
}

// In place of kernels/addon.ts: the kernels as WebAssembly, which the worker has fetched before the run.
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { wasmKernels } from '../../../../library/kernels/wasm/kernels.ts';

let module: Uint8Array | null = null;

export function useModule(bytes: Uint8Array): void {
  module = bytes;
}

export function nativeAddon(): never {
  throw new EarshotError('tool_unavailable', 'A tab has no addon');
}

export const webAssembly = (): object | null => (module === null ? null : wasmKernels(module));

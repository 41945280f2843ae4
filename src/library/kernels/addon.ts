// Loads earshot.node, and earshot.wasm where that is not. What they compute is typed in `load.ts`, what the addon does
// with processes in `processes.ts`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { EarshotError } from '../core/errors/errors.ts';
import { lacking } from '../core/errors/machine-lacks.ts';
import { installAgain, nativeFile, systemName } from '../core/native-files.ts';
import { moduleUrl } from '../core/running-files.ts';

let loaded: object | undefined;

const buildNative = 'Run `npm explore earshot -- npm run build-native` (needs a C++17 compiler, make and Python).';

/**
 * The addon, loaded on first use (once per thread).
 * @throws EarshotError tool_unavailable when it has not been built or does not fit this machine.
 */
export function nativeAddon(): object {
  if (loaded) return loaded;
  const path = nativeFile('earshot.node');
  if (path === null)
    throw new EarshotError('tool_unavailable', `Earshot's native kernels for ${systemName} are not installed`, {
      nextAction: installAgain(buildNative),
      details: lacking('installation'),
    });
  try {
    return (loaded = createRequire(import.meta.url)(path) as object);
  } catch (cause) {
    // Paths of a server must not be shown to its remote users.
    const why = (cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause))
      .replaceAll(path, '')
      .trim();
    throw new EarshotError('tool_unavailable', `Earshot's native kernels do not load on this system: ${why}`, {
      nextAction: buildNative,
      details: lacking('installation'),
      cause,
    });
  }
}

/**
 * The kernels as WebAssembly (native/wasm), which run on any system. Few need them, so what calls them is loaded here.
 * @returns null where they are not installed
 */
export function webAssembly(): object | null {
  const path = nativeFile('earshot.wasm', 'wasm32');
  if (path === null) return null;
  const { wasmKernels } = createRequire(import.meta.url)(fileURLToPath(moduleUrl('library/kernels/wasm/kernels'))) as {
    wasmKernels(bytes: Uint8Array): object;
  };
  return wasmKernels(readFileSync(path));
}

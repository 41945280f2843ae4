// What a platform is called, here and in the names of packages.
import { readFileSync } from 'node:fs';
import nodeApi from 'node-api-headers';

/** This machine's: "linux-x64", "darwin-arm64". */
export const ownPlatform = `${process.platform}-${process.arch}`;

/**
 * For which we publish packages; a release has all of them. There is none for musl: FFmpeg's libraries, as node-av has
 * them, need glibc.
 */
export const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64'];

/** A package that suits any system: the kernels as WebAssembly, for where the others do not suit. */
export const portable = { system: 'wasm32', file: 'earshot.wasm' };

/** The oldest glibc that we run on: that of Node's own builds, Debian 10, Ubuntu 20.04 and RHEL 8. */
export const minimumGlibc = '2.28';

/** The oldest macOS that our own files run on. Node 24 and FFmpeg's libraries need a newer one. */
export const minimumMacos = '11.0';

/** The oldest Windows that our own files run on, by its own number: 10.0 is Windows 10. */
export const minimumWindows = '10.0';

/** What lies in the package of a system: the addon, and on Linux the launcher that fences jobs off. */
export const nativeFiles = (platform) =>
  platform.startsWith('linux-') ? ['earshot.node', 'earshot-confine'] : ['earshot.node'];

/** All that the addon shows to the process that loads it. */
export const addonExports = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];

/** Names of the functions that any Node has for addons which ask for this version of Node-API. */
export function nodeFunctions(version) {
  const { js_native_api_symbols: engine, node_api_symbols: program } = nodeApi.symbols[`v${version}`];
  return [...engine, ...program];
}

/** The fields of package.json that keep a package off other systems. */
export function limitsOf(platform) {
  const [os, cpu] = platform.split('-');
  return { os: [os], cpu: [cpu], ...(os === 'linux' ? { libc: ['glibc'] } : {}) };
}

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

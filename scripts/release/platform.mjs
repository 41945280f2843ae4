// What a platform is called, here and in the names of packages.
import { readFileSync } from 'node:fs';

/** This machine's: "linux-x64", "darwin-arm64". */
export const ownPlatform = `${process.platform}-${process.arch}`;

/**
 * For which we publish packages; a release has all of them. There is none for musl: FFmpeg's libraries, as node-av has
 * them, need glibc.
 */
export const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];

/** The oldest glibc that we run on: that of Node's own builds, Debian 10, Ubuntu 20.04 and RHEL 8. */
export const minimumGlibc = '2.28';

/** All that the addon shows to the process that loads it. */
export const addonExports = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];

/** The fields of package.json that keep a package off other systems. */
export function limitsOf(platform) {
  const [os, cpu] = platform.split('-');
  return { os: [os], cpu: [cpu], ...(os === 'linux' ? { libc: ['glibc'] } : {}) };
}

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

// What a platform is called, here and in the names of packages.
import { readFileSync } from 'node:fs';

/** musl is another system to a program than glibc. */
const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;

/** This machine's: "linux-x64", "linux-x64-musl", "darwin-arm64". */
export const ownPlatform = `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;

/** For which we publish packages. What they hold of ours is built on each of them (.github/workflows/release.yml). */
export const platforms = ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'darwin-x64', 'darwin-arm64', 'win32-x64'];

/** The fields of package.json that keep a package off other systems. */
export function limitsOf(platform) {
  const [os, cpu, libc] = platform.split('-');
  return { os: [os], cpu: [cpu], ...(os === 'linux' ? { libc: [libc ?? 'glibc'] } : {}) };
}

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

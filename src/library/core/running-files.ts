/**
 * Where our own files lie. The one place that asks for its own address: a build joins modules into files of other names,
 * and puts this one beside them, two folders deep in dist as it is two folders deep in src.
 */
import { fileURLToPath } from 'node:url';

/** Of this file; what a bundler made of it may be anything, also undefined. */
export const ownAddress = import.meta.url as string | undefined;

/** The extension of the running sources: .ts in a checkout, .js when built. Processes and threads start from their kin. */
const runningExtension = ownAddress?.endsWith('.ts') === true ? '.ts' : '.js';

/**
 * A path or an address in an archive of Electron as that of its twin beside it (`app.asar.unpacked`), which other programs
 * and the system's loader can read; any other as it is.
 */
export const outsideArchive = (path: string, versions: NodeJS.ProcessVersions = process.versions): string =>
  versions['electron'] === undefined ? path : path.replace(/(?<=\.asar)(?=[/\\])/, '.unpacked');

const base = ownAddress === undefined ? undefined : outsideArchive(ownAddress);

/** Absolute path of something in the package, by its path from the package's root. */
export const packagePath = (path: string): string => fileURLToPath(new URL(`../../../${path}`, base));

/** Address of something that lies among the running sources, by its path from `src`. */
export const sourceUrl = (path: string): URL => new URL(`../../${path}`, base);

/**
 * Address of a module that is started or imported by its address and by no import: a process's or a thread's entry, a
 * tool's work, a task of the fan-out. The build makes a file of each (scripts/bundle.mjs).
 * @param path from `src`, without extension: "library/runtime/job-process"
 */
export const moduleUrl = (path: string): string => sourceUrl(`${path}${runningExtension}`).href;

/**
 * Why nothing of this can run from where it is, in a sentence with what to do; null where it can. Processes and threads are
 * started from files of their own, so that no bundle of one file, and no copy with some of the files, will do.
 * @param from `ownAddress`
 * @param bundler that is known to have made this
 */
export function unfitPlace(
  from: string | undefined,
  bundler: 'webpack' | null,
  exists: (path: URL) => boolean,
): string | null {
  const [, extension] = /\/(?:dist\/library\/chunks|src\/library\/core)\/[^/]+(\.[jt]s)$/.exec(from ?? '') ?? [];
  if (bundler === null && from !== undefined && extension !== undefined) {
    const entry = new URL(`../runtime/job-process${extension}`, outsideArchive(from));
    if (exists(entry)) return null;
    return (
      `earshot is at ${fileURLToPath(from)}, but ${fileURLToPath(entry)} is not there. What packed it must take all ` +
      "of the package: outputFileTracingIncludes in Next.js, asarUnpack in Electron's packagers (docs/installing.md)."
    );
  }
  const inWebpack = "webpack `externals: { earshot: 'import earshot' }`, Next.js `serverExternalPackages: ['earshot']`";
  const elsewhere = "esbuild `external: ['earshot']`, Rollup and Vite `external: [/^earshot(\\/|$)/]`, ";
  return (
    'earshot was joined into a bundle, and runs only from where it was installed, since it starts processes from its own ' +
    `files. Mark it as external: ${bundler === null ? elsewhere : ''}${inWebpack} (docs/installing.md).`
  );
}

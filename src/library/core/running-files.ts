/**
 * Paths of our own files. The only place that uses import.meta.url: a build joins modules into files with other names,
 * and puts this one two folders deep in dist, as in src.
 */
import { fileURLToPath } from 'node:url';

/** Of this file. A bundler may have made anything of it, also undefined. */
export const ownAddress = import.meta.url as string | undefined;

/** The extension of the running sources: .ts in a checkout, .js when built. */
const runningExtension = ownAddress?.endsWith('.ts') === true ? '.ts' : '.js';

/**
 * A path or URL in an Electron archive as that of its unpacked copy (`app.asar.unpacked`), which other programs and the
 * system's loader can read; any other unchanged.
 */
export const outsideArchive = (path: string, versions: NodeJS.ProcessVersions = process.versions): string =>
  versions['electron'] === undefined ? path : path.replace(/(?<=\.asar)(?=[/\\])/, '.unpacked');

const base = ownAddress === undefined ? undefined : outsideArchive(ownAddress);

/** Absolute path of a file in the package, by its path from the package's root. */
export const packagePath = (path: string): string => fileURLToPath(new URL(`../../../${path}`, base));

/** URL of a running source file, by its path from `src`. */
export const sourceUrl = (path: string): URL => new URL(`../../${path}`, base);

/**
 * URL of a module that is started or imported by URL rather than by an import: a process's or thread's entry, a tool's
 * run.ts, a fan-out task. The build makes a file of each (scripts/bundle.mjs).
 * @param path from `src`, without extension: "library/runtime/job/job-process"
 */
export const moduleUrl = (path: string): string => sourceUrl(`${path}${runningExtension}`).href;

/** @param url from `moduleUrl` */
export const loadModule = (url: string): Promise<object> => import(url) as Promise<object>;

/**
 * Why this copy cannot run, in a sentence with what to do; null where it can. Processes and threads start from files of
 * their own, so a single-file bundle or an incomplete copy does not work.
 * @param from `ownAddress`
 * @param bundler known to have made this
 */
export function unfitPlace(
  from: string | undefined,
  bundler: 'webpack' | null,
  exists: (path: URL) => boolean,
): string | null {
  const [, extension] = /\/(?:dist\/library\/chunks|src\/library\/core)\/[^/]+(\.[jt]s)$/.exec(from ?? '') ?? [];
  if (bundler === null && from !== undefined && extension !== undefined) {
    const entry = new URL(`../runtime/job/job-process${extension}`, outsideArchive(from));
    if (exists(entry)) return null;
    return (
      `earshot is at ${fileURLToPath(from)}, but ${fileURLToPath(entry)} is not there. The packaging tool must ` +
      "include all of the package: outputFileTracingIncludes in Next.js, asarUnpack in Electron's packagers " +
      '(docs/installing.md).'
    );
  }
  const inWebpack = "webpack `externals: { earshot: 'import earshot' }`, Next.js `serverExternalPackages: ['earshot']`";
  const elsewhere = "esbuild `external: ['earshot']`, Rollup and Vite `external: [/^earshot(\\/|$)/]`, ";
  return (
    'earshot was bundled, but it runs only from its installed package, since it starts processes from its own ' +
    `files. Mark it as external: ${bundler === null ? elsewhere : ''}${inWebpack} (docs/installing.md).`
  );
}

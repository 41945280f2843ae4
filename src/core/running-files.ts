/**
 * Where our own files lie. The one place that asks for its own address: a build joins modules into files of other names,
 * and puts this one beside them, a folder deep in dist as it is a folder deep in src.
 */
import { fileURLToPath } from 'node:url';

/** The extension of the running sources: .ts in a checkout, .js when built. Processes and threads start from their kin. */
const runningExtension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** Absolute path of something in the package, by its path from the package's root. */
export const packagePath = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Address of something that lies among the running sources, by its path from `src`. */
export const sourceUrl = (path: string): URL => new URL(`../${path}`, import.meta.url);

/**
 * Address of a module that is started or imported by its address and by no import: a process's or a thread's entry, a
 * tool's work, a task of the fan-out. The build makes a file of each (scripts/bundle.mjs).
 * @param path from `src`, without extension: "runtime/job-process"
 */
export const moduleUrl = (path: string): string => sourceUrl(`${path}${runningExtension}`).href;

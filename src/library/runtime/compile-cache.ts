// Where Node keeps what it made of our sources, for the processes that start later.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
// By its namespace: a Node without them must load this far to be told that it is too old (core/oldest-node.ts).
import * as nodeModule from 'node:module';
import { basename, dirname, join } from 'node:path';
import { cacheFolder } from '../models/folders.ts';
import { isPrivateFolder } from '../core/home-folder.ts';
import { renameFileSync } from '../core/rename-file.ts';
import { packagePath } from '../core/running-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

let found: string | null | undefined;

/**
 * The folder for Node's compile cache, to be handed on as NODE_COMPILE_CACHE: what the environment names, else one in the
 * installation unless that is in a program of macOS, else one in the user's cache folder; null where none of them is private to this user, or with
 * NODE_DISABLE_COMPILE_CACHE. Node makes a folder for each of its versions in it.
 */
export function compileCacheFolder(environment: Environment = process.env): string | null {
  if (environment['NODE_DISABLE_COMPILE_CACHE']) return null;
  if (environment['NODE_COMPILE_CACHE']) return environment['NODE_COMPILE_CACHE'];
  found ??=
    [packagePath('.cache/compiled'), join(cacheFolder(), 'compiled')].find(
      (path) => !isInApp(path) && isPrivateFolder(path),
    ) ?? null;
  return found;
}

/** A program of macOS is signed with all that lies in it: one more file, and the system refuses to start it. */
export const isInApp = (path: string, system: NodeJS.Platform = process.platform): boolean =>
  system === 'darwin' && /\.app\/Contents\//.test(path);

/**
 * Writes down what has been compiled so far and puts it in place of what `folder` has of the same modules: Node leaves alone
 * what is there, and a command that called little of a module may have been first.
 * @param folder as of `compileCacheFolder`; this process's own lies on the same disk and is removed
 */
export function replaceCompiled(folder: string): void {
  nodeModule.flushCompileCache();
  const own = nodeModule.getCompileCacheDir();
  if (own === undefined) return;
  const target = join(folder, basename(own));
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(own)) renameFileSync(join(own, name), join(target, name));
  rmSync(dirname(own), { recursive: true, force: true });
}

let written = false;

/**
 * Writes down what has been compiled so far, once: Node does so when a process ends by itself, and processes that are
 * killed never do. With everything there already it takes less than a millisecond.
 */
export function keepCompiled(): void {
  if (written) return;
  written = true;
  nodeModule.flushCompileCache();
}

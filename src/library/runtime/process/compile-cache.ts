// Where Node keeps compiled code for processes that start later.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
// Imported as a namespace: an old Node without these exports must load this far to be told that it is too old
// (core/start/oldest-node.ts).
import * as nodeModule from 'node:module';
import { basename, dirname, join } from 'node:path';
import { cacheFolder } from '../../models/folders.ts';
import { isPrivateFolder } from '../../core/files/home-folder.ts';
import { renameFileSync } from '../../core/files/rename-file.ts';
import { packagePath } from '../../core/running-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

let found: string | null | undefined;

/**
 * The folder for Node's compile cache, to be passed on as NODE_COMPILE_CACHE: the one in the environment, else one in
 * the installation (unless that is inside a macOS app), else one in the user's cache folder. null where none of them is
 * private to this user, or with NODE_DISABLE_COMPILE_CACHE. Node makes a folder in it for each of its versions.
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

/** A macOS app is signed with all its files: with one more, the system refuses to start it. */
export const isInApp = (path: string, system: NodeJS.Platform = process.platform): boolean =>
  system === 'darwin' && /\.app\/Contents\//.test(path);

/**
 * Saves the code compiled so far and replaces what `folder` has for the same modules. Node itself never replaces an
 * entry, and an earlier command may have called little of a module.
 * @param folder as of `compileCacheFolder`; this process's own is on the same disk and is removed
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
 * Saves the code compiled so far, once. Node does so only when a process exits by itself, never when it is killed. With
 * everything saved already it takes less than a millisecond.
 */
export function keepCompiled(): void {
  if (written) return;
  written = true;
  nodeModule.flushCompileCache();
}

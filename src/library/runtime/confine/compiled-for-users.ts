// The compile cache for job processes that run as users of their own. Node looks for a folder named by the user's
// number in it, and writes files for their owner alone. The folder around them belongs to the host and stays closed.
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** In a run's `in`: the link to the compile cache. It stays as long as the process. */
export const linkFolder = '.compiled';

const opened = new Map<string, string | null>();

/**
 * Node's compiled code for this process's user, with its files made readable; null where there is none yet. Looked up
 * once.
 * @param cache as of `compileCacheFolder`
 */
export function openCompiled(cache: string): string | null {
  const known = opened.get(cache);
  if (known !== undefined) return known;
  try {
    // v24.21.0-x64-964aae3f-0: the last number is the user.
    const names = readdirSync(cache).filter((name) => name.startsWith(`${process.version}-`) && name.endsWith('-0'));
    const [newest] = names
      .map((name) => join(cache, name))
      .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
    if (newest === undefined) return null;
    // Node makes this folder open, `replaceCompiled` makes it closed. The parent folder stays closed.
    if ((statSync(newest).mode & 0o005) !== 0o005) chmodSync(newest, 0o755);
    for (const name of readdirSync(newest)) {
      const path = join(newest, name);
      if ((statSync(path).mode & 0o004) === 0) chmodSync(path, 0o644);
    }
    opened.set(cache, newest);
    return newest;
  } catch {
    // Another process is replacing its files: this one does without.
    opened.set(cache, null);
    return null;
  }
}

/**
 * Links it into `in` of a run's folder, under the name that Node looks for.
 * @param seen the path by which the process reaches the folder
 */
export async function linkCompiled(inPart: string, compiled: string, user: number, seen: string): Promise<void> {
  const path = join(inPart, linkFolder, basename(compiled).replace(/-0$/, `-${user}`));
  await mkdir(dirname(path));
  await chmod(dirname(path), 0o755);
  await symlink(seen, path);
}

/** NODE_COMPILE_CACHE for that process. @param inPart the path by which it reaches `in` */
export const compiledPath = (inPart: string): string => join(inPart, linkFolder);

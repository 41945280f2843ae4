import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFolder } from '../../../library/core/files/flush-folder.ts';
import { renameFile } from '../../../library/core/files/rename-file.ts';
import { codeOf } from './failures.ts';

/** Creates the folder and flushes every folder that has a new entry. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await flushFolder(dirname(folder));
}

/**
 * Renames a file atomically and durably. Its bytes must have been flushed before.
 */
export async function publish(from: string, to: string): Promise<void> {
  for (;;) {
    try {
      await makeFolder(dirname(to));
      await renameFile(from, to);
      await flushFolder(dirname(to));
      return;
    } catch (thrown) {
      // A concurrent removal deleted the new, still empty folder.
      if (codeOf(thrown) !== 'ENOENT' || !(await isThere(from))) throw thrown;
    }
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Removes the folder and its empty parents, below `top`. */
export async function removeEmptyFolders(folder: string, top: string): Promise<void> {
  for (let path = folder; path.length > top.length && path.startsWith(top); path = dirname(path)) {
    try {
      await rmdir(path);
    } catch (thrown) {
      // Not empty, or already removed.
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'EPERM'].includes(codeOf(thrown) ?? '')) return;
      throw thrown;
    }
  }
}

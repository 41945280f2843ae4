import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFolder } from '../../../library/core/flush-folder.ts';
import { renameFile } from '../../../library/core/rename-file.ts';
import { codeOf } from './failures.ts';

/** Makes the folder and flushes every folder that got a new entry by it. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await flushFolder(dirname(folder));
}

/**
 * The file appears under its new name whole, and stays there after a power cut. Its bytes must have been flushed
 * before.
 */
export async function publish(from: string, to: string): Promise<void> {
  for (;;) {
    try {
      await makeFolder(dirname(to));
      await renameFile(from, to);
      await flushFolder(dirname(to));
      return;
    } catch (thrown) {
      // Another removal took the new folder away before it was used, since it was empty.
      if (codeOf(thrown) !== 'ENOENT' || !(await isThere(from))) throw thrown;
    }
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Removes the folder and those above it that became empty, below `top`. */
export async function removeEmptyFolders(folder: string, top: string): Promise<void> {
  for (let path = folder; path.length > top.length && path.startsWith(top); path = dirname(path)) {
    try {
      await rmdir(path);
    } catch (thrown) {
      // Something lies in it, or another process was faster.
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'EPERM'].includes(codeOf(thrown) ?? '')) return;
      throw thrown;
    }
  }
}

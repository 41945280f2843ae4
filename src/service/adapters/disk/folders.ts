import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFolder } from '../../../library/core/files/flush-folder.ts';
import { renameFile } from '../../../library/core/files/rename-file.ts';
import { codeOf } from './failures.ts';

/**
 * As `mkdir` with its parents, which fails where another call removes one of them at that moment: with ENOENT, or with
 * ENOTDIR as where a file is in the way.
 */
async function makeAll(path: string): Promise<string | undefined> {
  for (;;) {
    try {
      return await mkdir(path, { recursive: true });
    } catch (thrown) {
      if (!['ENOENT', 'ENOTDIR'].includes(codeOf(thrown) ?? '') || !(await isBelowFolder(path))) throw thrown;
    }
  }
}

/** Is the nearest of the path and its parents that is there a folder? */
async function isBelowFolder(path: string): Promise<boolean> {
  for (let nearest = path; ; nearest = dirname(nearest)) {
    const facts = await stat(nearest).catch(() => null);
    if (facts !== null) return facts.isDirectory();
    if (dirname(nearest) === nearest) return false;
  }
}

/** Creates the folder and flushes every folder that has a new entry. */
export async function makeFolder(path: string): Promise<void> {
  const first = await makeAll(path);
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

// Files that a job has deleted and still holds: no folder lists them, and they take room until it ends.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { bytesInFolder } from './folder-size.ts';

/**
 * Disk space of what a job has written in bytes: its work folder, and on Linux deleted files that it has open.
 * @param pid its process; undefined: none yet
 * @returns Infinity for what cannot be measured and only a job makes that hides something: folders deeper than a path
 *   may be long, deleted files that it has mapped
 */
export async function bytesWritten(workDir: string, pid: number | undefined): Promise<number> {
  const inFolder = await bytesInFolder(workDir);
  if (pid === undefined || process.platform !== 'linux') return inFolder;
  const [open, isMapping] = await Promise.all([bytesOpen(pid), mapsDeleted(pid, workDir)]);
  return isMapping ? Infinity : inFolder + open;
}

/** All its threads have the same descriptors: the filters of system calls see to that. */
async function bytesOpen(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  // Another user's processes cannot be looked at by everyone, and this one may have ended.
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names.map((name) =>
      stat(`${folder}/${name}`).then(
        (facts) => ({ key: `${facts.dev} ${facts.ino}`, facts }),
        () => null,
      ),
    ),
  );
  // A file may be open more than once.
  const deleted = new Map<string, number>();
  for (const file of files)
    if (file?.facts.isFile() && file.facts.nlink === 0)
      deleted.set(file.key, Math.min(file.facts.size, file.facts.blocks * 512));
  return [...deleted.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** A mapping keeps a file without a descriptor, and tells no size. By path: programs may be replaced while they run. */
async function mapsDeleted(pid: number, workDir: string): Promise<boolean> {
  const maps = await readFile(`/proc/${pid}/maps`, 'latin1').catch(() => '');
  const place = `/${basename(dirname(workDir))}/${basename(workDir)}/`;
  if (!maps.includes(place)) return false;
  return maps.split('\n').some((line) => line.includes(place) && line.endsWith(' (deleted)'));
}

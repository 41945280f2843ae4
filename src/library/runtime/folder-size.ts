import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What a folder takes of the disk, in bytes. A file that goes meanwhile takes nothing. */
export async function bytesInFolder(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      lstat(join(folder, name)).then(
        // Blocks of 512 bytes each, whatever the file system's are: a file with holes takes less than its length. One that has
        // come to the bound of its length takes more, by the end of its last block, and has not passed it.
        ({ size, blocks }) => Math.min(size, blocks * 512),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

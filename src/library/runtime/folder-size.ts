import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Disk space of a folder in bytes. A file that is removed meanwhile counts 0. */
export async function bytesInFolder(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      lstat(join(folder, name)).then(
        // Blocks are 512 bytes on every file system. A sparse file takes less than its length. A file just below its
        // length limit takes more, up to the end of its last block, and has not exceeded the limit.
        ({ size, blocks }) => Math.min(size, blocks * 512),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

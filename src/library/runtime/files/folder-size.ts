import { lstat, readdir } from 'node:fs/promises';
import { sep, toNamespacedPath } from 'node:path';

const separator = Buffer.from(sep);

/** Of a file or folder that was removed or moved during the walk; the last two on Windows, while it is going. */
const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ESTALE', ...(process.platform === 'win32' ? ['EPERM', 'EBUSY'] : [])]);
/** The host's own trouble, which passes; it says nothing about the folder. */
const hostCodes = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

function without<Found>(fallback: Found): (thrown: unknown) => Found {
  return (thrown) => {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    if (goneCodes.has(code) || hostCodes.has(code)) return fallback;
    throw thrown;
  };
}

/**
 * Disk space of a folder in bytes. A file that is removed meanwhile counts 0.
 * @returns Infinity for a folder with parts that cannot be looked at, such as those deeper than a path may be long.
 *   Only a job that hides something makes them.
 */
export async function bytesInFolder(folder: string): Promise<number> {
  // Names as bytes: one that is no UTF-8 would be read as the name of another file.
  const folders = [Buffer.from(toNamespacedPath(folder))];
  let bytes = 0;
  try {
    for (let here = folders.pop(); here !== undefined; here = folders.pop()) {
      const parent = Buffer.concat([here, separator]);
      const names = await readdir(here, { encoding: 'buffer' }).catch(without<Buffer[]>([]));
      const sizes = await Promise.all(
        names.map(async (name) => {
          const path = Buffer.concat([parent, name]);
          const facts = await lstat(path).catch(without(null));
          if (facts === null) return 0;
          if (facts.isDirectory()) folders.push(path);
          // Blocks are 512 bytes on every file system. A sparse file takes less than its length. A file just below its
          // length limit takes more, up to the end of its last block, and has not exceeded the limit.
          return Math.min(facts.size, facts.blocks * 512);
        }),
      );
      bytes = sizes.reduce((sum, size) => sum + size, bytes);
    }
    return bytes;
  } catch {
    return Infinity;
  }
}

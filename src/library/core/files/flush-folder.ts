import { fdatasync, fsync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';

const [sync, dataSync] = [promisify(fsync), promisify(fdatasync)];

/**
 * Resolves when the file's contents survive a power cut. Takes the descriptor, since handles have no such methods under
 * Yarn's Plug'n'Play.
 * @param what contents and times, or contents alone; default: all
 */
export const flushFile = ({ fd }: FileHandle, what: 'all' | 'bytes' = 'all'): Promise<void> =>
  what === 'all' ? sync(fd) : dataSync(fd);

/** A new name survives a power cut only when its folder is flushed. Windows cannot open folders and needs no flush. */
export async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await flushFile(handle);
  } finally {
    await handle.close();
  }
}

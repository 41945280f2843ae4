import { fdatasync, fsync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';

const [sync, dataSync] = [promisify(fsync), promisify(fdatasync)];

/**
 * What was written into a file survives a power cut once this resolves. By its number: under Yarn's Plug'n'Play a handle
 * has no such methods.
 * @param what its times, too, or its bytes alone; default: all
 */
export const flushFile = ({ fd }: FileHandle, what: 'all' | 'bytes' = 'all'): Promise<void> =>
  what === 'all' ? sync(fd) : dataSync(fd);

/**
 * A new name is only sure to survive a power cut once its folder is flushed. Windows cannot open folders; there the
 * rename has to do.
 */
export async function flushFolder(path: string, system: NodeJS.Platform = process.platform): Promise<void> {
  if (system === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await flushFile(handle);
  } finally {
    await handle.close();
  }
}

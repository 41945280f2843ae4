import { open } from 'node:fs/promises';

/**
 * A new name is only sure to survive a power cut once its folder is flushed. Windows cannot open folders; there the
 * rename has to do.
 */
export async function flushFolder(path: string, system: NodeJS.Platform = process.platform): Promise<void> {
  if (system === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// Removes folders that were filled by programs which we do not trust.
import { randomUUID } from 'node:crypto';
import { chmod, readdir, rm } from 'node:fs/promises';
import { sep, toNamespacedPath } from 'node:path';
import { renameFile } from './rename-file.ts';

const separator = Buffer.from(sep);

/** Path lengths from which folders are moved up: with the longest name that is well below every system's limit. */
const longestBytes = 500;

/**
 * Removes a folder with everything in it, also what `rm` cannot: folders deeper than a path may be long, and folders
 * that their owner may not read. What does not exist is removed already.
 * @throws Error of the system, when something stays
 */
export async function removeFolder(folder: string): Promise<void> {
  // A process that was killed may still finish making a file.
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 } as const;
  await rm(folder, options).catch(async () => {
    await flatten(folder);
    await rm(folder, options);
  });
}

/** Makes every folder below readable, and moves up those that lie deep. */
async function flatten(folder: string): Promise<void> {
  const root = Buffer.from(toNamespacedPath(folder));
  const waiting = [root];
  for (let here = waiting.pop(); here !== undefined; here = waiting.pop()) {
    // As in what follows: what is gone, or cannot be changed, is for `rm` to say.
    await chmod(here, 0o700).catch(() => undefined);
    const entries = await readdir(here, { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory()) continue;
      const path = Buffer.concat([here, separator, entry.name]);
      const higher = Buffer.concat([root, separator, Buffer.from(randomUUID())]);
      const isMoved = path.length > root.length + longestBytes && (await moved(path, higher));
      waiting.push(isMoved ? higher : path);
    }
  }
}

async function moved(from: Buffer, to: Buffer): Promise<boolean> {
  // Moving a folder changes its entry for the folder above it, too.
  await chmod(from, 0o700).catch(() => undefined);
  return renameFile(from, to).then(
    () => true,
    () => false,
  );
}

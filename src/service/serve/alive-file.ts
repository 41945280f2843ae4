import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Probes look at the file each half minute, or less often. */
const everyMs = 5000;

/**
 * Touches the file `alive` in the data folder at answers of the worker, at most every 5 s: a probe of a container sees
 * by its age whether the worker answers. A worker listens at no address, and lives on while the database is away.
 * @returns call at each answer
 */
export function aliveFile(dataFolder: string): () => void {
  let touchedAt = -Infinity;
  return () => {
    const at = performance.now();
    if (at - touchedAt < everyMs) return;
    touchedAt = at;
    // A full disk must not stop jobs that run; the probe sees the file's age.
    writeFile(join(dataFolder, 'alive'), `${new Date().toISOString()}\n`).catch(() => undefined);
  };
}

import { resolve, sep } from 'node:path';
import { searchFolders } from '../models/folders.ts';
import { knownHash } from '../models/remembered-hashes.ts';

/** More than any installation has; a process may name as many as it likes. */
const mostFiles = 1000;

/**
 * Hashes model files that job processes could not remember the hashes of, so that the next one need not. A process is
 * not believed: the file is read again, and only if it is a model's.
 */
export function createHashKeeper(modelsDir: string | undefined): (path: string) => void {
  const begun = new Set<string>();
  return (given) => {
    // "models/../../elsewhere" is elsewhere.
    const path = resolve(given);
    if (begun.has(path) || begun.size >= mostFiles) return;
    if (!searchFolders(modelsDir).some((folder) => path.startsWith(folder + sep))) return;
    begun.add(path);
    // A file that cannot be read will say so to the next run.
    void knownHash(path).catch(() => undefined);
  };
}

import { resolve, sep } from 'node:path';
import { searchFolders } from '../../models/folders.ts';
import { knownHash } from '../../models/remembered-hashes.ts';

/** More than any installation has; a process may name any number. */
const mostFiles = 1000;

/**
 * Remembers hashes of model files that job processes have computed but cannot save. A process is not trusted: the file
 * is hashed again, and only if it is a model's.
 */
export function createHashKeeper(modelsDir: string | undefined): (path: string) => void {
  const begun = new Set<string>();
  return (given) => {
    // Resolved first: "models/../../elsewhere" is outside.
    const path = resolve(given);
    if (begun.has(path) || begun.size >= mostFiles) return;
    if (!searchFolders(modelsDir).some((folder) => path.startsWith(folder + sep))) return;
    begun.add(path);
    // An unreadable file is reported by the next run.
    void knownHash(path).catch(() => undefined);
  };
}

import { mkdir, mkdtemp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerOf, ownerPrefix } from '../../../library/core/machine/owner-names.ts';
import { removeFolder } from '../../../library/core/files/remove-folder.ts';

/** Work folders, one per attempt of a job. */
export interface RunFolders {
  make(): Promise<string>;
  remove(folder: string): Promise<void>;
  /** Removes the folders of dead workers. */
  removeLeftovers(): Promise<void>;
}

const kind = 'run';

/** In use by this process, by any of its workers. */
const mine = new Set<string>();

/** @param longestRunSeconds older folders of other machines are no longer in use */
export function createRunFolders(parent: string, longestRunSeconds: number): RunFolders {
  async function isLeftover(name: string): Promise<boolean> {
    const owner = ownerOf(name, kind);
    if (owner === null || mine.has(join(parent, name))) return false;
    // A folder that this process uses would be in `mine`.
    if (owner.running === false || (owner.running && owner.pid === process.pid)) return true;
    const { mtimeMs } = await stat(join(parent, name));
    return Date.now() - mtimeMs > longestRunSeconds * 1000 + 3_600_000;
  }

  return {
    async make() {
      await mkdir(parent, { recursive: true });
      const folder = await mkdtemp(join(parent, ownerPrefix(kind)));
      mine.add(folder);
      return folder;
    },
    async remove(folder) {
      await removeFolder(folder);
      mine.delete(folder);
    },
    async removeLeftovers() {
      const names = await readdir(parent).catch(() => []);
      for (const name of names) {
        if (await isLeftover(name).catch(() => false)) await removeFolder(join(parent, name));
      }
    },
  };
}

import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hostMark } from '../../../library/core/host-mark.ts';
import { startMark } from '../../../library/core/start-mark.ts';

/** Work folders, one per attempt of a job. */
export interface RunFolders {
  make(): Promise<string>;
  remove(folder: string): Promise<void>;
  /** Removes the folders of dead workers. */
  removeLeftovers(): Promise<void>;
}

/** Host, process, its start (missing in names of older versions), and a random part. */
const namePattern = /^run-([0-9a-f]{8})-(\d+)(?:-(\w+))?-\w+$/;

const ownMark = hostMark();
const ownPrefix = `run-${ownMark}-${process.pid}-${startMark(process.pid) ?? 'unknown'}-`;

/** In use by this process, by any of its workers. */
const mine = new Set<string>();

/** @param mark of its start; undefined: not known */
function isDead(pid: number, mark: string | undefined): boolean {
  // A folder of this process would be in `mine`.
  if (pid === process.pid) return true;
  const running = startMark(pid);
  return running === null || (mark !== undefined && mark !== running);
}

/** @param longestRunSeconds older folders of other machines are no longer in use */
export function createRunFolders(parent: string, longestRunSeconds: number): RunFolders {
  async function isLeftover(name: string): Promise<boolean> {
    const match = namePattern.exec(name);
    if (match === null || mine.has(join(parent, name))) return false;
    if (match[1] === ownMark && isDead(Number(match[2]), match[3])) return true;
    const { mtimeMs } = await stat(join(parent, name));
    return Date.now() - mtimeMs > longestRunSeconds * 1000 + 3_600_000;
  }

  return {
    async make() {
      await mkdir(parent, { recursive: true });
      const folder = await mkdtemp(join(parent, ownPrefix));
      mine.add(folder);
      return folder;
    },
    async remove(folder) {
      // A killed job may still create a file during the removal.
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
      mine.delete(folder);
    },
    async removeLeftovers() {
      const names = await readdir(parent).catch(() => []);
      for (const name of names) {
        if (await isLeftover(name).catch(() => false)) await rm(join(parent, name), { recursive: true, force: true });
      }
    },
  };
}

// postmaster.pid in the data folder of a running PostgreSQL:
// https://www.postgresql.org/docs/18/storage-file-layout.html
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../../../library/core/machine/is-alive.ts';

export const postmasterFile = (dataDir: string): string => join(dataDir, 'postmaster.pid');

/** null: missing, or not written yet. A killed server leaves the file behind. */
export async function readPostmaster(
  dataDir: string,
): Promise<{ readonly pid: number; readonly port: number | null } | null> {
  const lines = (await readFile(postmasterFile(dataDir), 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number.isInteger(port) && port > 0 ? port : null };
}

/** A server writes the file in the moment in which it makes it. */
const writtenWithinMs = 10_000;

/** Did a server make the file that was killed before it wrote it? PostgreSQL refuses to start beside it. */
export async function isLeftEmpty(dataDir: string): Promise<boolean> {
  const found = await stat(postmasterFile(dataDir)).catch(() => null);
  return found !== null && found.size === 0 && Date.now() - found.mtimeMs > writtenWithinMs;
}

/** Resolves when a server that is not our child has exited. */
export async function pollExit(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(200, undefined, { ref: false });
}

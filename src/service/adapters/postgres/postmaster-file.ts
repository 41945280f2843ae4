// postmaster.pid in the data folder of a running PostgreSQL:
// https://www.postgresql.org/docs/18/storage-file-layout.html
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../../library/core/machine/is-alive.ts';

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

/** Resolves when a server that is not our child has exited. */
export async function pollExit(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(200, undefined, { ref: false });
}

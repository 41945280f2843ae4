// Counts what a run has written while its process may be hiding it.
import { readFile } from 'node:fs/promises';
import { bytesWritten } from '../files/held-files.ts';
import type { JobProcess } from './spawn.ts';

export interface WrittenCount {
  /**
   * Disk space of what the run has written in bytes, see `bytesWritten`.
   * @param suspectBytes exactly above this: files that a process moves, and descriptors that it changes while it is
   *   looked at, are missed by a look at a running process. So the process is stopped for the look, but only where the
   *   kernel says that it has written so much in all, which most runs never do.
   */
  bytes(suspectBytes: number): Promise<number>;
}

/** Bytes that a process has written since it started: by calls, and to disks. */
interface Written {
  readonly calls: number;
  readonly disks: number;
}

/** null: not on this system, or the process has ended. */
async function everWritten(pid: number): Promise<Written | null> {
  const text = await readFile(`/proc/${pid}/io`, 'latin1').catch(() => '');
  const of = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  // Deleted files are among both. What is cut off before it reaches a disk is cancelled; memory file systems have no
  // disk, so that the calls alone count there.
  const written = { calls: of('wchar'), disks: of('write_bytes') - of('cancelled_write_bytes') };
  return Number.isNaN(written.calls + written.disks) ? null : written;
}

/** Looks at each process that are going on: it is stopped for all of them. */
const looks = new Map<number, number>();

async function whileStopped<Found>(job: JobProcess, pid: number, look: () => Promise<Found>): Promise<Found> {
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    try {
      // A number is another process's as soon as the end of this one has been taken note of, not before.
      if (!job.ended) process.kill(pid, name);
    } catch {
      // It is ending.
    }
  };
  const others = looks.get(pid) ?? 0;
  looks.set(pid, others + 1);
  if (others === 0) signal('SIGSTOP');
  try {
    return await look();
  } finally {
    const left = (looks.get(pid) ?? 1) - 1;
    if (left === 0) {
      looks.delete(pid);
      signal('SIGCONT');
    } else looks.set(pid, left);
  }
}

/** From the start of a run: what its process wrote in earlier runs does not count. */
export function countWritten(job: JobProcess, workDir: string): WrittenCount {
  const { pid } = job;
  const before = pid === undefined ? Promise.resolve(null) : everWritten(pid);
  return {
    async bytes(suspectBytes) {
      const look = (): Promise<number> => bytesWritten(workDir, pid);
      const [first, now] = [await before, pid === undefined ? null : await everWritten(pid)];
      if (pid === undefined || first === null || now === null) return look();
      const most = Math.max(now.calls - first.calls, now.disks - first.disks);
      return most > suspectBytes ? whileStopped(job, pid, look) : look();
    },
  };
}

// Holds a job to its memory limit: what it uses, not what it reserves.
import { statfs } from 'node:fs/promises';
import { nativeProcesses } from '../../kernels/processes.ts';
import { usedBytes } from './process-tree.ts';
import type { JobProcess } from './spawn.ts';
import { countWritten } from './written-count.ts';

export interface MemoryWatch {
  /** Bytes in use when the process was killed for its memory; null: it was not. */
  met(): number | null;
  stop(): void;
}

const pollMilliseconds = 250;
/** `f_type` of a memory file system: statfs(2). */
const tmpfs = 0x01021994;

/** Is the folder on a memory file system? */
async function isInMemory(folder: string): Promise<boolean> {
  try {
    return (await statfs(folder)).type === tmpfs;
  } catch {
    return false;
  }
}

/**
 * Watches a run. On Linux a native thread checks the job's own process up to 200 times a second and kills it. On all
 * systems this process checks four times a second the job with all its processes and its files in memory.
 * @param workDir where the job writes
 * @param onExceeded called with the bytes in use of a job that exceeds its limit and still runs
 */
export function watchMemory(
  job: JobProcess,
  workDir: string,
  limitBytes: number,
  onExceeded: (bytes: number) => void,
): MemoryWatch {
  const { pid } = job;
  let watched = pid === undefined ? undefined : startNative(pid, limitBytes);
  let met: number | null = null;
  const readNative = (): void => {
    if (watched === undefined) return;
    const { usedBytes: used, ended } = nativeProcesses().memoryWatchStop(watched);
    watched = undefined;
    if (ended) met = used;
  };
  const inMemory = isInMemory(workDir);
  const written = countWritten(job, workDir);
  const look = async (): Promise<void> => {
    const own = pid === undefined ? null : (usedBytes(pid) ?? job.reportedBytes());
    if (own === null) return;
    const used = own + ((await inMemory) ? await written.bytes(limitBytes - own) : 0);
    if (used > limitBytes) onExceeded(used);
  };
  const timer = setInterval(() => void look(), pollMilliseconds);
  return {
    met() {
      readNative();
      return met;
    },
    stop() {
      clearInterval(timer);
      readNative();
    },
  };
}

function startNative(pid: number, limitBytes: number): number | undefined {
  try {
    return nativeProcesses().memoryWatchStart(pid, Math.floor(limitBytes));
  } catch {
    // No addon, or no thread available: the slower check continues.
    return undefined;
  }
}

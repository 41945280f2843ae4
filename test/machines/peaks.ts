// What job processes take, read from /proc while they run.
import { readdirSync, readFileSync } from 'node:fs';

export interface Peak {
  /** The most that one process had resident, MiB: VmHWM and page tables. */
  readonly residentMiB: number;
  /** The most that one process had reserved for writing, MiB: VmData, which RLIMIT_DATA counts. */
  readonly reservedMiB: number;
  readonly threads: number;
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

function childrenOf(pid: number | 'self'): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

export interface PeakWatch {
  /** What was seen since the last call. */
  take(): Peak;
  stop(): void;
}

/** @param pids of the processes to look at; default: the children of this one */
export function watchPeaks(pids: () => readonly number[] = () => childrenOf('self')): PeakWatch {
  let [residentMiB, reservedMiB, threads] = [0, 0, 0];
  const timer = setInterval(() => {
    for (const pid of pids()) {
      const status = read(`/proc/${pid}/status`);
      const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
      residentMiB = Math.max(residentMiB, (field('VmHWM') + field('VmPTE')) / 1024);
      reservedMiB = Math.max(reservedMiB, field('VmData') / 1024);
      threads = Math.max(threads, field('Threads'));
    }
  }, 25);
  return {
    take() {
      const peak = { residentMiB: Math.round(residentMiB), reservedMiB: Math.round(reservedMiB), threads };
      [residentMiB, reservedMiB, threads] = [0, 0, 0];
      return peak;
    },
    stop: () => clearInterval(timer),
  };
}

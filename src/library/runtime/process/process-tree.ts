import { readdirSync, readFileSync } from 'node:fs';

/** Processes started by `pid`, and their own. Empty where there is no /proc. */
export function descendantsOf(pid: number): number[] {
  const found: number[] = [];
  const pending = [pid];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const child of childrenOf(next)) {
      found.push(child);
      pending.push(child);
    }
  }
  return found;
}

/** Linux lists children by the thread that started them. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
        .split(' ')
        .filter((part) => part !== '')
        .map(Number),
    );
  } catch {
    return [];
  }
}

/** Kills a process and everything it started. Harmless if it has already ended. */
export function killTree(pid: number): void {
  const all = [pid, ...descendantsOf(pid)];
  for (const each of all) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // Already ended.
    }
  }
}

/**
 * Memory of a process and everything it started, in bytes: resident, swapped out, and what the kernel keeps for it,
 * which a process can fill without anything resident: page tables and threads. null without /proc.
 */
export function usedBytes(pid: number): number | null {
  const own = usedBytesOfOne(pid);
  return own === null ? null : descendantsOf(pid).reduce((sum, child) => sum + (usedBytesOfOne(child) ?? 0), own);
}

/** In kB; as in native/process/memory_watch.cc, which says of what. */
const kernelOfThread = 32;

/** From `status`, which counts in kB; `statm` counts in pages of a size that Node does not know. */
function usedBytesOfOne(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kilobytes = [...status.matchAll(/^Vm(?:RSS|PTE|Swap):\s+(\d+) kB/gm)].map(([, number]) => Number(number));
    const threads = Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
    return kilobytes.length === 0 ? null : kilobytes.reduce((sum, each) => sum + each, threads * kernelOfThread) * 1024;
  } catch {
    return null;
  }
}

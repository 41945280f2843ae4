import { readFileSync } from 'node:fs';
import { isAlive } from './is-alive.ts';

/**
 * When a process started, as a word that no later process with the same pid shares; null when it does not run. Without
 * /proc it only tells running ("unknown") from ended.
 */
export function startMark(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in brackets and may hold spaces; the start time is the 22nd field.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return process.platform !== 'linux' && isAlive(pid) ? 'unknown' : null;
  }
}

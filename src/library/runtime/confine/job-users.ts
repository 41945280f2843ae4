// Users that own nothing, for job processes where root has no better isolation. Each process has its own, so that files
// of others, other jobs among them, are closed to it as far as their modes are.
import { readdirSync, statSync } from 'node:fs';
import { chmod, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EarshotError } from '../../core/errors/errors.ts';
import { lacking } from '../../core/errors/machine-lacks.ts';
import { badValue } from '../../core/checks/schema.ts';

/** User and group numbers, from first to last. */
export interface UserRange {
  readonly first: number;
  readonly last: number;
}

/** Numbers that systemd, distributions and containers leave unused (https://systemd.io/UIDS-GIDS/). */
const usualRange: UserRange = { first: 60_706, last: 61_183 };
/** The invalid user number. */
const noUser = 2 ** 32 - 1;

/**
 * EARSHOT_JOB_UIDS as "60706-61183", which is the default.
 * @throws EarshotError bad_request for anything else, and for a range with root in it
 */
export function jobUserRange(environment: Readonly<Record<string, string | undefined>> = process.env): UserRange {
  const text = environment['EARSHOT_JOB_UIDS'];
  if (!text) return usualRange;
  const [, first, last] = (/^(\d{1,10})-(\d{1,10})$/.exec(text) ?? []).map(Number);
  if (first === undefined || last === undefined || first < 1 || first > last || last >= noUser)
    throw badValue('EARSHOT_JOB_UIDS', 'range of numbers above 0 such as 60706-61183', text);
  return { first, last };
}

const taken = new Set<number>();

/** The users of all visible processes. */
function runningUsers(): Set<number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Set(pids.flatMap((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? []));
}

/**
 * A user without running processes, reserved until `release`. Another service on this machine may search at the same
 * time, so the search starts at a random number.
 * @throws EarshotError tool_unavailable when all are taken
 */
export function takeUser({ first, last }: UserRange): { readonly id: number; release(): void } {
  const count = last - first + 1;
  const start = Math.floor(Math.random() * count);
  const running = runningUsers();
  for (let step = 0; step < count; step++) {
    const id = first + ((start + step) % count);
    if (taken.has(id) || running.has(id)) continue;
    taken.add(id);
    return { id, release: () => void taken.delete(id) };
  }
  throw new EarshotError('tool_unavailable', `All ${count} users for jobs are taken`, {
    retryable: true,
    details: lacking('process'),
    nextAction: 'Set EARSHOT_JOB_UIDS to a longer range, or run fewer jobs at the same time.',
  });
}

const everybodyReads = 0o004;
const everybodyPasses = 0o001;

/** Is the file readable for all users? */
export const isOpenFile = async (path: string): Promise<boolean> => ((await stat(path)).mode & everybodyReads) !== 0;

/** Closes a folder to other users. */
export async function closeToOthers(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & 0o077) !== 0) await chmod(folder, mode & 0o700);
}

/** The first of the paths, or of the folders above them, that is not readable for all users; null: all are. */
export async function firstClosed(paths: readonly string[]): Promise<string | null> {
  const seen = new Set<string>();
  for (const path of paths) {
    const real = await realpath(path).catch(() => null);
    if (real === null) continue;
    const own = await stat(real);
    const needed = own.isDirectory() ? everybodyReads | everybodyPasses : everybodyReads;
    if ((own.mode & needed) !== needed) return real;
    for (let at = dirname(real); !seen.has(at); at = dirname(at)) {
      seen.add(at);
      if (((await stat(at)).mode & everybodyPasses) === 0) return at;
    }
  }
  return null;
}

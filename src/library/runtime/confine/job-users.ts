// Users that own nothing, for job processes where root has no better fence: each process is one of its own, so that what
// belongs to anybody else, other jobs among them, is closed to it as far as its mode closes it to everybody.
import { readdirSync, statSync } from 'node:fs';
import { chmod, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EarshotError } from '../../core/errors.ts';
import { badValue } from '../../core/schema.ts';

/** Numbers of users and of groups, from first to last. */
export interface UserRange {
  readonly first: number;
  readonly last: number;
}

/** Numbers that systemd, distributions and containers leave to nobody (https://systemd.io/UIDS-GIDS/). */
const usualRange: UserRange = { first: 60_706, last: 61_183 };
/** What systems call no user at all. */
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

/** Of every process that can be seen here. */
function runningUsers(): Set<number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Set(pids.flatMap((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? []));
}

/**
 * A user under whom nothing runs, until `release`. Another service on this machine may look at the same moment, so each
 * begins anywhere.
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
  throw new EarshotError('tool_unavailable', `All of the ${count} users that jobs may run as are taken`, {
    retryable: true,
    nextAction: 'Set EARSHOT_JOB_UIDS to a longer range, or let fewer jobs run at the same time.',
  });
}

const everybodyReads = 0o004;
const everybodyPasses = 0o001;

/** May everybody read the file, whoever can reach it? */
export const isOpenFile = async (path: string): Promise<boolean> => ((await stat(path)).mode & everybodyReads) !== 0;

/** Whatever made a folder open: what lies in it, is its owner's alone from now on. */
export async function closeToOthers(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & 0o077) !== 0) await chmod(folder, mode & 0o700);
}

/** The first of the files and folders, or of the folders on the way there, that is not everybody's; null: all are. */
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

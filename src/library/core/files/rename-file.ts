// The only place that renames files: on Windows an open file cannot be replaced.
import { accessSync, constants, lstatSync, renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Windows's codes for a file that is open in another process: virus scanners and indexers briefly open new files. */
const openElsewhere = ['EPERM', 'EACCES', 'EBUSY'];
const pauseMilliseconds = 20;

/** For tests: another system's functions. */
interface RenameWays<Answer, Path = string> {
  readonly system?: NodeJS.Platform;
  readonly rename?: (from: Path, to: Path) => Answer;
  readonly patienceMilliseconds?: number;
}

/**
 * As `rename` of node:fs: replaces what is at `to` atomically. On Windows it waits up to 2 s for processes that have
 * one of the files open, then fails with EBUSY.
 */
export async function renameFile<Path extends string | Buffer>(
  from: Path,
  to: Path,
  {
    system = process.platform,
    rename: tryOnce = rename,
    patienceMilliseconds = 2000,
  }: RenameWays<Promise<void>, Path> = {},
): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  for (;;) {
    try {
      return await tryOnce(from, to);
    } catch (thrown) {
      refuseUnlessOpen(thrown, to, system, performance.now() >= deadline);
    }
    await delay(pauseMilliseconds);
  }
}

/** The same for job processes, where blocking is harmless. */
export function renameFileSync(
  from: string,
  to: string,
  { system = process.platform, rename: tryOnce = renameSync, patienceMilliseconds = 2000 }: RenameWays<void> = {},
): void {
  const deadline = performance.now() + patienceMilliseconds;
  for (;;) {
    try {
      return tryOnce(from, to);
    } catch (thrown) {
      refuseUnlessOpen(thrown, to, system, performance.now() >= deadline);
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMilliseconds);
  }
}

/** Returns if another try may succeed. */
function refuseUnlessOpen(thrown: unknown, to: string | Buffer, system: NodeJS.Platform, isLate: boolean): void {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (system !== 'win32' || !openElsewhere.includes(code ?? '') || !couldBeReplaced(to)) throw thrown;
  if (isLate)
    throw Object.assign(new Error(`${message}: in use by another process`, { cause: thrown }), { code: 'EBUSY' });
}

/** The same codes also mean that a folder or a read-only file is there: those are not replaced. */
function couldBeReplaced(path: string | Buffer): boolean {
  try {
    if (lstatSync(path).isDirectory()) return false;
    accessSync(path, constants.W_OK);
    return true;
  } catch (thrown) {
    // Nothing is at `to`, so the source is open.
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

// The one place that renames files: on Windows one that is open cannot be replaced.
import { accessSync, constants, lstatSync, renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** What Windows answers where a file is open in another process: virus scanners and indexers open new ones for moments. */
const openElsewhere = ['EPERM', 'EACCES', 'EBUSY'];
const pauseMilliseconds = 20;

/** For tests: another system's ways. */
interface RenameWays<Answer> {
  readonly system?: NodeJS.Platform;
  readonly rename?: (from: string, to: string) => Answer;
  readonly patienceMilliseconds?: number;
}

/**
 * As `rename` of node:fs: what is at `to` is replaced at once or not at all. On Windows it waits up to 2 s for those who
 * have one of the files open; then the error's code is EBUSY.
 */
export async function renameFile(
  from: string,
  to: string,
  { system = process.platform, rename: tryOnce = rename, patienceMilliseconds = 2000 }: RenameWays<Promise<void>> = {},
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

/** The same for job processes, which work on one thing at a time. */
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

/** Returns where it is worth another try. */
function refuseUnlessOpen(thrown: unknown, to: string, system: NodeJS.Platform, isLate: boolean): void {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (system !== 'win32' || !openElsewhere.includes(code ?? '') || !couldBeReplaced(to)) throw thrown;
  if (isLate)
    throw Object.assign(new Error(`${message}: in use by another process`, { cause: thrown }), { code: 'EBUSY' });
}

/** The same codes say that a folder, or a file that may not be written, is there: it stays as it is. */
function couldBeReplaced(path: string): boolean {
  try {
    if (lstatSync(path).isDirectory()) return false;
    accessSync(path, constants.W_OK);
    return true;
  } catch (thrown) {
    // Nothing there: then it is what is renamed that is open.
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '../../rules/log.ts';
import { systemRoot } from './embedded-install.ts';

/** Windows itself, and administrators, whom nothing there is hidden from. */
const alwaysAllowed = ['S-1-5-18', 'S-1-5-32-544'];

type Run = (program: string, args: readonly string[]) => Promise<{ readonly stdout: string }>;

/**
 * Leaves a folder of Windows, where modes mean nothing, and all that is made in it to this user. Its number is asked for,
 * since names come in many forms and services have none of their own. The server needs the user's own right to it: it runs
 * without those of administrators.
 * @param run for tests
 */
export async function keepPrivate(
  folder: string,
  log: Pick<Log, 'warn'>,
  run: Run = promisify(execFile),
): Promise<void> {
  const system = join(systemRoot(), 'System32');
  try {
    const { stdout } = await run(join(system, 'whoami.exe'), ['/user', '/fo', 'csv', '/nh']);
    const user = /S-1-[\d-]+/.exec(stdout)?.[0];
    if (user === undefined) throw new Error(`whoami names nobody: ${stdout}`);
    const grants = [user, ...alwaysAllowed].map((each) => `*${each}:(OI)(CI)F`);
    await run(join(system, 'icacls.exe'), [folder, '/inheritance:r', '/grant:r', ...grants]);
  } catch (thrown) {
    log.warn({ folder, error: String(thrown) }, 'Other users of this computer may be able to read this folder');
  }
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '../../../rules/shared/log.ts';
import { systemRoot } from './embedded-install.ts';

/** The Windows accounts SYSTEM and Administrators, which have access anyway. */
const alwaysAllowed = ['S-1-5-18', 'S-1-5-32-544'];

type Run = (program: string, args: readonly string[]) => Promise<{ readonly stdout: string }>;

/**
 * Restricts a folder and its future contents to this user on Windows, where file modes have no effect. Uses the user's
 * SID, because names have many forms. The user needs a right of its own: the server runs without administrator rights.
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
    if (user === undefined) throw new Error(`Unexpected output of whoami: ${stdout}`);
    const grants = [user, ...alwaysAllowed].map((each) => `*${each}:(OI)(CI)F`);
    await run(join(system, 'icacls.exe'), [folder, '/inheritance:r', '/grant:r', ...grants]);
  } catch (thrown) {
    log.warn({ folder, error: String(thrown) }, 'Other users of this computer may be able to read this folder');
  }
}

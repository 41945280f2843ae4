import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../rules/log.ts';
import type { Lifeline } from './embedded-ways.ts';

/**
 * Ends the server when its last user is gone, whatever ended that: Ctrl-C in a host app, or kill -9. A shell of 1 MB reads
 * a pipe that every user holds open for writing, and is told of the end by the system. It looks whether the number is
 * still the server's, which has started anew, or ended, meanwhile.
 *
 * Descriptor 3 is the starter's own end for writing, let go once the pipe is open for reading: without anyone who writes,
 * opening waits, and for ever where the starter was killed before. What it reads from is closed before it ends the server:
 * who comes then sees that nothing watches.
 */
const guard =
  'exec 4<"$1" 3>&-; read -r _ <&4; exec 4<&-; [ "$(head -n 1 "$2/postmaster.pid")" = "$3" ] && kill -INT "$3"';

/**
 * Takes part in keeping the server of a socket folder alive. null: this system has no such pipes; then a server is left
 * behind when its starter is killed.
 */
export function holdLifeline(dataDir: string, socketDir: string, log: Log): Lifeline | null {
  const path = pipeIn(socketDir);
  // It may be there already.
  spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' });
  try {
    const { fd, isGuarded } = openPipe(path);
    let held = true;
    return {
      fd,
      isGuarded,
      async guard(pid, exited) {
        const guarding = guardServer(dataDir, socketDir, pid, fd);
        void exited?.then(() => guarding.kill('SIGKILL'));
      },
      // The pipe is open already: whoever reads it counts us.
      joinGuard: async () => undefined,
      release() {
        if (held) closeSync(fd);
        held = false;
      },
    };
  } catch (thrown) {
    log.warn({ error: String(thrown) }, 'The database will not notice when this process is killed');
    return null;
  }
}

/** Sets the guard over a server that was just started, by a user's end of the pipe. */
export function guardServer(dataDir: string, socketDir: string, pid: number, fd: number): ChildProcess {
  const watching = spawn('/bin/sh', ['-c', guard, 'earshot-database-guard', pipeIn(socketDir), dataDir, String(pid)], {
    cwd: '/',
    // Ctrl-C in our terminal is not meant for it.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', fd],
  });
  watching.on('error', () => {});
  watching.unref();
  return watching;
}

function openPipe(path: string): { readonly fd: number; readonly isGuarded: boolean } {
  try {
    // Without a reader this is refused.
    return { fd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), isGuarded: true };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENXIO') throw thrown;
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return { fd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), isGuarded: false };
    } finally {
      closeSync(reader);
    }
  }
}

const pipeIn = (socketDir: string): string => join(socketDir, 'users');

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../../rules/shared/log.ts';
import type { Lifeline } from './embedded-ways.ts';

/**
 * The guard ends the server when its last user has ended for any reason, also Ctrl-C in a host app or kill -9. It is a
 * shell (1 MB) that reads a pipe which every user holds open for writing; when the last one ends, the read returns. It
 * then checks that the pid is still the server's, and sends SIGINT.
 *
 * Descriptor 3 is the starter's writing end, closed once the pipe is open for reading: opening it without a writer
 * would block, forever if the starter was killed. The reading end is closed before the server is ended, so that new
 * users see that there is no guard.
 */
const guard =
  'exec 4<"$1" 3>&-; read -r _ <&4; exec 4<&-; [ "$(head -n 1 "$2/postmaster.pid")" = "$3" ] && kill -INT "$3"';

/**
 * Keeps the server of a socket folder alive while this process runs. null: this system has no named pipes; then the
 * server stays when its starter is killed.
 */
export function holdLifeline(dataDir: string, socketDir: string, log: Log): Lifeline | null {
  const path = pipeIn(socketDir);
  // It may already exist.
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
      // Nothing to do: the pipe is already open.
      joinGuard: async () => undefined,
      release() {
        if (held) closeSync(fd);
        held = false;
      },
    };
  } catch (thrown) {
    log.warn({ error: String(thrown) }, 'The database will keep running if this process is killed');
    return null;
  }
}

/** Starts the guard of a server. @param fd a writing end of the pipe */
export function guardServer(dataDir: string, socketDir: string, pid: number, fd: number): ChildProcess {
  const watching = spawn('/bin/sh', ['-c', guard, 'earshot-database-guard', pipeIn(socketDir), dataDir, String(pid)], {
    cwd: '/',
    // Ctrl-C in our terminal must not end it.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', fd],
  });
  watching.on('error', () => {});
  watching.unref();
  return watching;
}

function openPipe(path: string): { readonly fd: number; readonly isGuarded: boolean } {
  try {
    // Fails without a reader.
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

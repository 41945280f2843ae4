import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, chown, type FileHandle, lstat, mkdir, open, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Address } from './embedded-access.ts';
import { commandAs, type ServerUser, serverEnvironment } from './embedded-install.ts';
import { holdLifeline } from './embedded-lifeline.ts';
import { cannotRun, type Place, type ServerWays, signalServer } from './embedded-ways.ts';

/** Only part of the socket's file name; there is no TCP listener. */
const socketPort = 5432;
const socketName = `.s.PGSQL.${socketPort}`;

/** Longest path of a socket: 104 bytes on macOS, 108 on Linux, with the terminating zero. */
const longestSocketPath = 103;

/**
 * Emptied, and appended to: two starts at the same time would else write over each other's lines, and the one that ends
 * would not be understood.
 */
export function openStartupLog(path: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_TRUNC, O_WRONLY } = constants;
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600);
}

/** Linux and macOS: a unix socket in a private folder, and signals. */
export async function socketWays(place: Place): Promise<ServerWays> {
  const { dataDir, programs, user } = place;
  const socketDir = await prepareSocketDir(dataDir, user);
  const address: Address = { socketDir, port: socketPort };
  const startupLog = join(dataDir, 'startup.log');
  return {
    async running() {
      const found = await stat(join(socketDir, socketName)).catch(() => null);
      return found === null ? null : address;
    },
    fresh: async () => address,
    hold: async (log) => holdLifeline(dataDir, socketDir, log),
    async start(_, settings) {
      const args = ['-D', dataDir, '-k', socketDir, '-p', String(socketPort)];
      for (const [name, value] of Object.entries({
        listen_addresses: '',
        unix_socket_permissions: '0700',
        ...settings,
      }))
        args.push('-c', `${name}=${value}`);
      // A file, not a pipe: the server may outlive this process, and must not write to a closed pipe.
      const output = await openStartupLog(startupLog);
      try {
        // In a session of its own, so that Ctrl-C does not end it while the service still drains.
        const started = commandAs(user, programs.postgres, args);
        const child = spawn(started.command, started.args, {
          cwd: '/',
          env: serverEnvironment(),
          detached: true,
          stdio: ['ignore', output.fd, output.fd],
          ...started.ids,
        });
        const exited = new Promise<void>((done) => {
          child.once('exit', () => done());
        });
        await new Promise<void>((done, fail) => {
          child.once('spawn', done);
          child.once('error', (error) => fail(cannotRun(programs.postgres, user, error)));
        });
        child.unref();
        return { pid: child.pid ?? 0, exited, startupLog, said: '' };
      } finally {
        await output.close();
      }
    },
    reload: async (pid) => signalServer(pid, 'SIGHUP'),
    stop: async (pid, how) => signalServer(pid, how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
  };
}

/**
 * Creates the folder of the socket: with a short path, the same for every process on that data folder, accessible only
 * to the server's user (and root).
 */
export async function prepareSocketDir(dataDir: string, user: ServerUser): Promise<string> {
  const name = `earshot-${createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)}`;
  const inTmpdir = join(tmpdir(), name);
  const dir = join(inTmpdir, socketName).length <= longestSocketPath ? inTmpdir : join('/tmp', name);
  const owner = user?.uid ?? process.getuid?.();
  await mkdir(dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST')
      throw new EarshotError(
        'internal_error',
        `Cannot create the folder ${dir} for the database's socket: ${error.message}`,
        { cause: error, nextAction: 'Set TMPDIR to a folder that can be written.' },
      );
  });
  let found = await lstat(dir);
  // Just created, or by a start that was killed before this line.
  if (user !== null && found.uid === 0 && found.isDirectory()) {
    await chown(dir, user.uid, user.gid);
    found = await lstat(dir);
  }
  if (!found.isDirectory() || found.uid !== owner)
    throw new EarshotError(
      'internal_error',
      `${dir} belongs to another user; expected a folder of user ${user?.name ?? owner}`,
      { nextAction: `Remove ${dir}, or set TMPDIR to a folder of your own.` },
    );
  await chmod(dir, 0o700);
  return dir;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { outlivesUs } from '../../../../library/core/machine/child-processes.ts';
import { moduleUrl } from '../../../../library/core/running-files.ts';
import type { Log } from '../../../rules/shared/log.ts';
import { commandAs, serverEnvironment } from './embedded-install.ts';
import type { Lifeline, Place } from './embedded-ways.ts';

/** Longest start of the guard, a Node process, on a busy machine. */
const guardStartMs = 60_000;
/** How long to wait for the guard of another process that has just started the server. */
const otherGuardMs = 5000;

/** Pipes of Windows (and abstract sockets of Linux, for tests), which vanish with the listening process. */
export const pipeOf = (dataDir: string): string => {
  const isWindows = process.platform === 'win32';
  const place = isWindows ? dataDir.toLowerCase() : dataDir;
  const name = `earshot-${createHash('sha256').update(place).digest('hex').slice(0, 16)}`;
  return isWindows ? `\\\\.\\pipe\\${name}` : `\0${name}`;
};

/**
 * Keeps a server alive by a connection to its guard (users-guard.ts). Child processes do not inherit it: on Windows
 * they end with this process.
 */
export async function holdUserPipe(place: Place, log: Log): Promise<Lifeline> {
  const pipe = pipeOf(place.dataDir);
  let held: Socket | null = null;
  /** The server whose guard we are connected to. */
  let guarded: number | null = null;
  let isReleased = false;
  /**
   * If the guard ends (it was killed, or was the guard of an earlier server), another one is started. A guard that is
   * just ending may accept a connection and close it.
   */
  const hold = (socket: Socket): void => {
    held = socket;
    socket.once('close', () => {
      held = null;
      if (guarded !== null && !isReleased) void join(guarded, true);
    });
  };
  /** Are we connected, or already released? */
  const isTaken = async (): Promise<boolean> => {
    if (held !== null || isReleased) return true;
    const socket = await connectTo(pipe);
    if (isReleased) socket?.destroy();
    else if (socket !== null) hold(socket);
    return socket !== null;
  };
  const join = async (pid: number, mayStart: boolean): Promise<void> => {
    guarded = null;
    const began = performance.now();
    let guarding: ChildProcess | null = null;
    while (!(await isTaken())) {
      const waited = performance.now() - began;
      if (waited > guardStartMs) return log.warn({ pid }, 'The database will keep running if this process is killed');
      // The process that should start the guard may have been killed, or the guard has ended before we connected.
      const isMissing = guarding === null || guarding.exitCode !== null || guarding.signalCode !== null;
      if (isMissing && (mayStart || waited > otherGuardMs)) guarding = startGuard(pipe, place, pid);
      await sleep(20);
    }
    guarded = pid;
  };
  await isTaken();
  return {
    fd: null,
    isGuarded: held !== null,
    guard: (pid) => join(pid, true),
    joinGuard: (pid) => join(pid, false),
    release() {
      isReleased = true;
      held?.destroy();
    },
  };
}

const connectTo = (pipe: string): Promise<Socket | null> =>
  new Promise((done) => {
    const socket = connect(pipe);
    socket.once('error', () => done(null));
    socket.once('connect', () => {
      socket.on('error', () => undefined);
      // It must not keep this process alive.
      socket.unref();
      socket.resume();
      done(socket);
    });
  });

/** Of two guards started at the same time, the second finds the name taken and exits. */
function startGuard(pipe: string, { dataDir, programs, user }: Place, pid: number): ChildProcess {
  const stop = commandAs(user, programs.control, ['stop', '-D', dataDir, '-W', '-m', 'fast']);
  const told = JSON.stringify({ pipe, dataDir, pid, command: [stop.command, ...stop.args], ids: stop.ids });
  const child = spawn(
    process.execPath,
    [fileURLToPath(moduleUrl('service/adapters/postgres/embedded/users-guard')), told],
    {
      cwd: '/',
      env: {
        ...serverEnvironment(),
        // Makes Electron run as Node.
        ELECTRON_RUN_AS_NODE: '1',
        // Yarn's loader, because our files are in an archive.
        ...(process.versions['pnp'] ? { NODE_OPTIONS: process.env['NODE_OPTIONS'] } : {}),
      },
      stdio: 'ignore',
      ...outlivesUs,
    },
  );
  child.on('error', () => undefined);
  child.unref();
  return child;
}

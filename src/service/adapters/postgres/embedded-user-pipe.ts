import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { outlivesUs } from '../../../library/core/child-processes.ts';
import { moduleUrl } from '../../../library/core/running-files.ts';
import type { Log } from '../../rules/log.ts';
import { commandAs, serverEnvironment } from './embedded-install.ts';
import type { Lifeline, Place } from './embedded-ways.ts';

/** The guard is a Node that starts on a busy machine. */
const patienceMs = 60_000;
/** So long it is left to another process that has just started the server. */
const othersPatienceMs = 5000;

/** Such names vanish with the process that listens: pipes of Windows, abstract sockets of Linux, for tests. */
export const pipeOf = (dataDir: string): string => {
  const isWindows = process.platform === 'win32';
  const place = isWindows ? dataDir.toLowerCase() : dataDir;
  const name = `earshot-${createHash('sha256').update(place).digest('hex').slice(0, 16)}`;
  return isWindows ? `\\\\.\\pipe\\${name}` : `\0${name}`;
};

/**
 * Takes part in keeping a server alive by a connection to its guard (users-guard.ts). On Windows processes that we start end
 * with us, so nothing is handed on to them.
 */
export async function holdUserPipe(place: Place, log: Log): Promise<Lifeline> {
  const pipe = pipeOf(place.dataDir);
  let held: Socket | null = null;
  /** The server whose guard we are connected to. */
  let guarded: number | null = null;
  let isReleased = false;
  /**
   * A guard that was killed, or that watched over the server before this one, is followed by another. One that is just ending
   * may close what it had let in, before there is a server.
   */
  const hold = (socket: Socket): void => {
    held = socket;
    socket.once('close', () => {
      held = null;
      if (guarded !== null && !isReleased) void join(guarded, true);
    });
  };
  /** Are we connected, or is nothing left to do? */
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
      if (waited > patienceMs) return log.warn({ pid }, 'The database will not notice when this process is killed');
      // Whoever else was to set one may have been killed; and one may have ended before it let us in.
      const isMissing = guarding === null || guarding.exitCode !== null || guarding.signalCode !== null;
      if (isMissing && (mayStart || waited > othersPatienceMs)) guarding = startGuard(pipe, place, pid);
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
      // It keeps the server alive and not this process.
      socket.unref();
      socket.resume();
      done(socket);
    });
  });

/** Of two that are started at the same time the second finds the name taken and ends. */
function startGuard(pipe: string, { dataDir, programs, user }: Place, pid: number): ChildProcess {
  const stop = commandAs(user, programs.control, ['stop', '-D', dataDir, '-W', '-m', 'fast']);
  const told = JSON.stringify({ pipe, dataDir, pid, command: [stop.command, ...stop.args], ids: stop.ids });
  const child = spawn(process.execPath, [fileURLToPath(moduleUrl('service/adapters/postgres/users-guard')), told], {
    cwd: '/',
    env: {
      ...serverEnvironment(),
      // Electron is a Node for whoever asks.
      ELECTRON_RUN_AS_NODE: '1',
      // Yarn's hook, where our files lie in an archive.
      ...(process.versions['pnp'] ? { NODE_OPTIONS: process.env['NODE_OPTIONS'] } : {}),
    },
    stdio: 'ignore',
    ...outlivesUs,
  });
  child.on('error', () => undefined);
  child.unref();
  return child;
}

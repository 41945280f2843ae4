// Starts a program with sockets for its descriptors from 2 on, in the cheapest way available.
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import { getSystemErrorName } from 'node:util';
import { ownSession } from '../../core/machine/child-processes.ts';
import { nativeProcesses, type SpawnedProcess } from '../../kernels/processes.ts';

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not start. */
  readonly cause?: Error;
}

export interface StartedProcess {
  /** undefined: it did not start. */
  readonly pid: number | undefined;
  /** For descriptors 2, 3, ...; none when it did not start. */
  readonly pipes: readonly Duplex[];
  /** Does it keep the event loop alive? Initially true. */
  setHeld(held: boolean): void;
  /** Called once, when it has ended or could not start. Its pipes may still hold data. */
  onEnd(listener: (end: ProcessEnd) => void): void;
}

export interface Program {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How many sockets, from descriptor 2 on; 0 and 1 are discarded. */
  readonly pipes: number;
  /** Start it in its own session? */
  readonly session: boolean;
}

/**
 * On Linux through the addon: Node forks, which takes 3 ms of CPU for each 100 MB of this process, and more afterwards
 * for copied pages.
 */
export function startProcess(program: Program): StartedProcess {
  return (takesDescriptors ? byAddon(program) : null) ?? byNode(program);
}

/** Bun makes no socket from a descriptor that it did not open. */
const takesDescriptors = !('bun' in process.versions);

function byAddon({ command, environment, pipes: count, session }: Program): StartedProcess | null {
  const [file = '', ...programArguments] = command;
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  let tell: (end: ProcessEnd) => void;
  const end = new Promise<ProcessEnd>((resolve) => (tell = resolve));
  let started: SpawnedProcess | { readonly errno: number } | undefined;
  try {
    started = nativeProcesses().spawnProcess(file, programArguments, variables, count, session, (code, signal) =>
      tell(code >= 0 ? { exitCode: code, signal: null } : { exitCode: null, signal: nameOfSignal(signal) }),
    );
  } catch {
    // No addon, or an older one: a tool that needs it will say so.
    return null;
  }
  if (started === undefined) return null;
  const onEnd: StartedProcess['onEnd'] = (listener) => void end.then(listener);
  if ('errno' in started) {
    const { errno } = started;
    const code = getSystemErrorName(-errno);
    const cause = Object.assign(new Error(`spawn ${file} ${code}`), { code, errno: -errno, syscall: 'spawn' });
    process.nextTick(() => tell({ exitCode: null, signal: null, cause }));
    return { pid: undefined, pipes: [], setHeld: () => undefined, onEnd };
  }
  const { pid, fds, setHeld } = started;
  return { pid, pipes: fds.map((fd) => new Socket({ fd, readable: true, writable: true })), setHeld, onEnd };
}

const nameOfSignal = (number: number): NodeJS.Signals =>
  (Object.entries(constants.signals).find(([, each]) => each === number)?.[0] ?? 'SIGKILL') as NodeJS.Signals;

function byNode({ command, environment, pipes, session }: Program): StartedProcess {
  const [file = '', ...programArguments] = command;
  const child = spawn(file, programArguments, {
    env: environment,
    ...(session ? ownSession() : { windowsHide: true }),
    stdio: ['ignore', 'ignore', ...Array.from({ length: pipes }, () => 'pipe' as const)],
  });
  const end = new Promise<ProcessEnd>((resolve) => {
    child.once('error', (cause) => {
      // 'error' is also emitted for a message that could not be sent; without a pid the process never started.
      if (child.pid === undefined) resolve({ exitCode: null, signal: null, cause });
    });
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  child.on('error', () => undefined);
  return {
    pid: child.pid,
    // Pipes of a child are sockets, though typed as plain streams.
    pipes: child.stdio.slice(2).filter((stream) => stream !== null && stream !== undefined) as Duplex[],
    setHeld: (held) => (held ? child.ref() : child.unref()),
    onEnd: (listener) => void end.then(listener),
  };
}

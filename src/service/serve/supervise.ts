import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ownSession } from '../../library/core/machine/child-processes.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { type AnswerWatch, createAnswerWatch } from './answer-watch.ts';
import type { Addresses, FromChild, ToChild } from './child-protocol.ts';

export interface Supervised {
  /** The addresses of the child. */
  readonly addresses: Addresses;
  readonly pid: number | undefined;
  /** Stops the child; kills it after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Time for cleaning up after the grace time, before a child is killed. */
export const tidyMs = 5000;

/** First pause before a crashed child is restarted; doubles each time up to the longest. */
const firstPauseMs = 100;
const longestPauseMs = 5000;
/** After this uptime, the pause is reset to the first one. */
const steadyMs = 10_000;

/** How a child is run. */
export interface SuperviseOptions {
  /** A child that has not answered for this long, in ms, is ended and started again; 0: never. */
  readonly silentMs: number;
  /** Further flags of the child's Node. Default: none. */
  readonly nodeFlags?: readonly string[];
  /** Called at every start: a file descriptor for the child to inherit; null: none. Default: none. */
  readonly heldFd?: () => number | null;
  /** Called at every answer of the child. Default: none. */
  readonly onAnswer?: () => void;
}

/** A delay of a child's event loop that is worth a line of the log, in seconds. */
const longDelaySeconds = 1;

/**
 * Runs a child process and restarts it after any exit. Resolves when it is ready for the first time.
 * @param moduleUrl the child's module
 * @param start the start message; called at every start
 * @param onEvent called with what the operator should know, in words
 * @throws EarshotError the child's error, or internal_error, when the first start fails
 */
export async function supervise(
  moduleUrl: URL,
  name: string,
  start: (last: Addresses) => Extract<ToChild, { type: 'start' }>,
  onEvent: (event: string) => void,
  { silentMs, nodeFlags = [], heldFd = () => null, onAnswer = () => undefined }: SuperviseOptions,
): Promise<Supervised> {
  let child: ChildProcess | undefined;
  let addresses: Addresses = { address: null, legacyAddress: null };
  let stopping = false;
  let pauseMs = firstPauseMs;
  let timer: NodeJS.Timeout | undefined;

  const launch = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const fresh = forkChild(moduleUrl, name, nodeFlags, heldFd());
      child = fresh;
      let ready = false;
      let failure: EarshotError | undefined;
      const watch = watchOver(
        fresh,
        silentMs,
        () => stopping,
        (event) => onEvent(`the ${name} process ${event}`),
      );
      fresh.on('message', (message: FromChild) => {
        if (message.type === 'alive') {
          watch.answered();
          onAnswer();
          if (message.delaySeconds >= longDelaySeconds)
            onEvent(`the ${name} process was still for ${message.delaySeconds.toFixed(1)} s`);
        } else if (message.type === 'failed') failure = EarshotError.fromJSON(message.error);
        else {
          ready = true;
          const { address, legacyAddress } = message;
          addresses = { address, legacyAddress };
          resolve();
        }
      });
      fresh.on('error', (error) => {
        failure ??= EarshotError.from(error);
      });
      fresh.once('exit', (code, signal) => {
        watch.stop();
        if (child === fresh) child = undefined;
        if (!ready)
          reject(
            failure ??
              new EarshotError(
                'internal_error',
                `The ${name} process exited before it was ready (${signal ?? `exit code ${code}`})`,
              ),
          );
        if (stopping) return;
        if (ready) onEvent(`the ${name} process ended (${signal ?? `exit code ${code}`}); starting it again`);
        if (performance.now() - startedAt > steadyMs) pauseMs = firstPauseMs;
        if (ready || restarting) again();
      });
      fresh.send(start(addresses), (error) => {
        if (error) fresh.kill('SIGKILL');
      });
    });

  let restarting = false;
  const again = (): void => {
    restarting = true;
    timer = setTimeout(() => {
      launch().catch((thrown: unknown) =>
        onEvent(`the ${name} process did not start: ${EarshotError.from(thrown).message}`),
      );
    }, pauseMs);
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  };

  await launch();
  return {
    get addresses() {
      return addresses;
    },
    get pid() {
      return child?.pid;
    },
    async stop(graceMs) {
      stopping = true;
      clearTimeout(timer);
      const last = child;
      if (!last || last.exitCode !== null || last.signalCode !== null) return;
      const gone = new Promise<void>((resolve) => last.once('exit', () => resolve()));
      if (last.connected) last.send({ type: 'stop' } satisfies ToChild, () => undefined);
      const killer = setTimeout(() => last.kill('SIGKILL'), graceMs);
      await gone;
      clearTimeout(killer);
    },
  };
}

/** Ends a child that does not answer. One that is stopping has its time for that, which `stop` keeps. */
const watchOver = (
  child: ChildProcess,
  silentMs: number,
  isStopping: () => boolean,
  onEvent: (event: string) => void,
): AnswerWatch =>
  createAnswerWatch(silentMs, {
    ask() {
      if (child.connected) child.send({ type: 'ask' } satisfies ToChild, () => undefined);
    },
    onSilent(forMs) {
      if (isStopping()) return;
      onEvent(`has not answered for ${(forMs / 1000).toFixed(1)} s (EARSHOT_SILENT_SECONDS); ending it`);
      child.kill('SIGKILL');
    },
  });

function forkChild(moduleUrl: URL, name: string, nodeFlags: readonly string[], heldFd: number | null): ChildProcess {
  // In its own process group: Ctrl-C reaches only the launcher, which stops its children.
  return fork(fileURLToPath(moduleUrl), [name], {
    ...ownSession(),
    // The child uses the service's role; only the launcher has the owner's address.
    env: { ...process.env, DATABASE_OWNER_URL: undefined },
    execArgv: [...process.execArgv, ...nodeFlags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', heldFd ?? 'ignore'],
  });
}

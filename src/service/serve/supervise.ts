import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ownSession } from '../../library/core/child-processes.ts';
import { EarshotError } from '../../library/core/errors.ts';
import type { Addresses, FromChild, ToChild } from './child-protocol.ts';

export interface Supervised {
  /** What the child said when it was ready. */
  readonly addresses: Addresses;
  readonly pid: number | undefined;
  /** Asks the child to end and waits; kills it after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** What a child may take beyond the grace time for its own tidying up, before it is killed. */
export const tidyMs = 5000;

/** First pause before a fallen child is started again; doubles each time up to the last one. */
const firstPauseMs = 100;
const longestPauseMs = 5000;
/** A child that lived this long had started well: the next pause is the first one again. */
const steadyMs = 10_000;

/**
 * Keeps one child process alive: whatever ends it (a crash, kill -9) starts it again. Resolves when it is ready for the
 * first time.
 * @param moduleUrl what the child runs
 * @param start what it is told; asked for anew at every start
 * @param nodeFlags of the child's own Node, besides ours
 * @param heldFd asked for at every start: what the child is to hold open while it lives; null: nothing
 * @throws EarshotError what the child said, or internal_error, when the very first start fails
 */
export async function supervise(
  moduleUrl: URL,
  name: string,
  start: (last: Addresses) => Extract<ToChild, { type: 'start' }>,
  onEvent: (event: string) => void,
  nodeFlags: readonly string[] = [],
  heldFd: () => number | null = () => null,
): Promise<Supervised> {
  let child: ChildProcess | undefined;
  let addresses: Addresses = { address: null, legacyAddress: null };
  let stopping = false;
  let pauseMs = firstPauseMs;
  let timer: NodeJS.Timeout | undefined;

  const launch = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      // A group of its own: Ctrl-C reaches the launcher alone, which then asks everyone to finish.
      const fresh = fork(fileURLToPath(moduleUrl), [name], {
        ...ownSession(),
        // It works with the service's role; what may change tables is the launcher's alone.
        env: { ...process.env, DATABASE_OWNER_URL: undefined },
        execArgv: [...process.execArgv, ...nodeFlags],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc', heldFd() ?? 'ignore'],
      });
      child = fresh;
      let ready = false;
      let failure: EarshotError | undefined;
      fresh.on('message', (message: FromChild) => {
        if (message.type === 'failed') failure = EarshotError.fromJSON(message.error);
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
        if (child === fresh) child = undefined;
        if (!ready)
          reject(
            failure ??
              new EarshotError(
                'internal_error',
                `The ${name} process ended before it was ready (${signal ?? `exit code ${code}`})`,
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

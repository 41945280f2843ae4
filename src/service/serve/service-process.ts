// The process of the API or of the supervisor of jobs, started and controlled by the launcher.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { leaveInterruptsToStarter } from '../../library/core/machine/child-processes.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { keepCompiled } from '../../library/runtime/process/compile-cache.ts';
import { startApi, type RunningApi } from './api.ts';
import type { FromChild, ToChild } from './child-protocol.ts';
import { createLog } from './log.ts';
import type { RunningPart } from './running-part.ts';
import { startWorker } from './worker.ts';

const part = process.argv[2] === 'api' ? 'api' : 'worker';
let log = createLog('info', part);
/** Set when it has started. */
let running: (RunningPart & Partial<RunningApi>) | undefined;
/** Set when a regular stop has begun. */
let graceSeconds = 0;
let failing = false;

const say = (message: FromChild): Promise<void> =>
  new Promise((resolve) => (process.send ? process.send(message, () => resolve()) : resolve()));

async function start({ config, databaseUrl }: Extract<ToChild, { type: 'start' }>): Promise<void> {
  log = createLog(config.logLevel, part);
  graceSeconds = config.graceSeconds;
  try {
    const started: RunningPart & Partial<RunningApi> = await (part === 'api'
      ? startApi(config, databaseUrl)
      : startWorker(config, databaseUrl, log, (lacks) => void stopUnfit(lacks)));
    running = started;
    const { address, legacyAddress } = started;
    await say({ type: 'ready', address, legacyAddress });
    // Written later, when the code of the first requests is compiled; a killed process could not write it at its end.
    setTimeout(keepCompiled, 30_000).unref();
  } catch (thrown) {
    await say({ type: 'failed', error: EarshotError.from(thrown).toJSON() });
    process.exit(1);
  }
}

const delays = monitorEventLoopDelay();
delays.enable();
/** The start loads code, which takes its time. */
let loaded = false;

/** Answers the launcher, which ends a process that does not. */
function answer(): void {
  const delaySeconds = loaded ? delays.max / 1e9 : 0;
  delays.reset();
  loaded = running !== undefined;
  void say({ type: 'alive', delaySeconds });
}

/** Stops the part. If it has not started yet, there is nothing to finish. */
async function stop(): Promise<void> {
  await running?.stop();
  process.exit(0);
}

/** Jobs go to other machines. The launcher starts a fresh process, with growing pauses. */
async function stopUnfit(lacks: string): Promise<void> {
  if (failing) return;
  failing = true;
  log.fatal({ lacks }, 'This machine could run none of several jobs in a row: this process exits and is restarted');
  await running?.stop().catch(() => undefined);
  process.exit(1);
}

/** The launcher has exited: stop, with a time limit. */
function stopAlone(): void {
  setTimeout(() => process.exit(1), (graceSeconds + 60) * 1000).unref();
  void stop().catch(() => process.exit(1));
}

/**
 * After an uncaught exception the state of the process is unknown: it exits, and the launcher starts another one. All
 * data is in the database and the object store, which are always consistent.
 */
async function fail(thrown: unknown, origin: NodeJS.UncaughtExceptionOrigin): Promise<void> {
  if (failing) return;
  failing = true;
  log.fatal({ err: thrown, origin }, 'Uncaught error: this process exits and is restarted');
  try {
    await running?.fail?.(thrown);
  } finally {
    process.exit(1);
  }
}

// Also receives unhandled rejections.
process.on('uncaughtException', (thrown, origin) => void fail(thrown, origin));
process.on('message', (message: ToChild) => {
  // Errors while stopping are only logged.
  if (message.type === 'start') void start(message);
  else if (message.type === 'ask') answer();
  else void stop().catch(() => process.exit(1));
});
process.once('disconnect', stopAlone);
// The launcher handles these signals.
leaveInterruptsToStarter();
process.on('SIGTERM', () => undefined);

// The API or the supervisor of jobs, in a process of its own; started and told what to do by the launcher.
import { leaveInterruptsToStarter } from '../../library/core/child-processes.ts';
import { EarshotError } from '../../library/core/errors.ts';
import { keepCompiled } from '../../library/runtime/compile-cache.ts';
import { startApi, type RunningApi } from './api.ts';
import type { FromChild, ToChild } from './child-protocol.ts';
import { createLog } from './log.ts';
import type { RunningPart } from './running-part.ts';
import { startWorker } from './worker.ts';

const part = process.argv[2] === 'api' ? 'api' : 'worker';
let log = createLog('info', part);
/** Once it has started. */
let running: (RunningPart & Partial<RunningApi>) | undefined;
/** Of a stop in good order. */
let graceSeconds = 0;

const say = (message: FromChild): Promise<void> =>
  new Promise((resolve) => (process.send ? process.send(message, () => resolve()) : resolve()));

async function start({ config, databaseUrl }: Extract<ToChild, { type: 'start' }>): Promise<void> {
  log = createLog(config.logLevel, part);
  graceSeconds = config.graceSeconds;
  try {
    const started: RunningPart & Partial<RunningApi> = await (part === 'api'
      ? startApi(config, databaseUrl)
      : startWorker(config, databaseUrl, log));
    running = started;
    const { address, legacyAddress } = started;
    await say({ type: 'ready', address, legacyAddress });
    // A part that is killed would never write it down. Later, when requests have called what they call.
    setTimeout(keepCompiled, 30_000).unref();
  } catch (thrown) {
    await say({ type: 'failed', error: EarshotError.from(thrown).toJSON() });
    process.exit(1);
  }
}

/** What has not started yet, a database that does not answer perhaps, has nothing to finish. */
async function stop(): Promise<void> {
  await running?.stop();
  process.exit(0);
}

/** The launcher is gone: no one starts us again or ends us, so end as if it had asked, and in time. */
function stopAlone(): void {
  setTimeout(() => process.exit(1), (graceSeconds + 60) * 1000).unref();
  void stop().catch(() => process.exit(1));
}

let failing = false;

/**
 * Nobody knows what state a process is in after an exception that nothing caught, so it ends and the launcher starts
 * another one. What it did lies in the database and the object store, which every request leaves as they should be.
 */
async function fail(thrown: unknown, origin: NodeJS.UncaughtExceptionOrigin): Promise<void> {
  if (failing) return;
  failing = true;
  log.fatal({ err: thrown, origin }, 'An error that nothing caught: this process ends, and another one starts');
  try {
    await running?.fail?.(thrown);
  } finally {
    process.exit(1);
  }
}

// Rejections that nothing handles come here, too.
process.on('uncaughtException', (thrown, origin) => void fail(thrown, origin));
process.on('message', (message: ToChild) => {
  // What fails while stopping has nobody left to be told but the log.
  if (message.type === 'start') void start(message);
  else void stop().catch(() => process.exit(1));
});
process.once('disconnect', stopAlone);
// These are the launcher's to hear.
leaveInterruptsToStarter();
process.on('SIGTERM', () => undefined);

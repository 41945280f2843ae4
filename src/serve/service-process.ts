// The API or the supervisor of jobs, in a process of its own; started and told what to do by the launcher.
import { leaveInterruptsToStarter } from '../core/child-processes.ts';
import { EarshotError } from '../core/errors.ts';
import { keepCompiled } from '../runtime/compile-cache.ts';
import { startApi, type RunningApi } from './api.ts';
import type { FromChild, ToChild } from './child-protocol.ts';
import { createLog } from './log.ts';
import type { RunningPart } from './running-part.ts';
import { startWorker } from './worker.ts';

const part = process.argv[2] === 'api' ? 'api' : 'worker';
let log = createLog('info', part);
let running: Promise<RunningPart & Partial<RunningApi>> | undefined;

const say = (message: FromChild): Promise<void> =>
  new Promise((resolve) => (process.send ? process.send(message, () => resolve()) : resolve()));

async function start({ config, databaseUrl }: Extract<ToChild, { type: 'start' }>): Promise<void> {
  log = createLog(config.logLevel, part);
  running = part === 'api' ? startApi(config, databaseUrl) : startWorker(config, databaseUrl, log);
  try {
    const { address, legacyAddress } = await running;
    await say({ type: 'ready', address, legacyAddress });
    // A part that is killed would never write it down. Later, when requests have called what they call.
    setTimeout(keepCompiled, 30_000).unref();
  } catch (thrown) {
    await say({ type: 'failed', error: EarshotError.from(thrown).toJSON() });
    process.exit(1);
  }
}

async function stop(): Promise<void> {
  await (await running)?.stop();
  process.exit(0);
}

let failing = false;

/**
 * Nobody knows what state a process is in after an exception that nothing caught, so it ends and the launcher starts
 * another one. What it did lies in the database and the object store, which every request leaves as they should be.
 */
async function fail(thrown: unknown, origin: NodeJS.UncaughtExceptionOrigin): Promise<void> {
  log.fatal({ err: thrown, origin }, 'An error that nothing caught: this process ends, and another one starts');
  if (failing) return;
  failing = true;
  try {
    await (await running)?.fail?.(thrown);
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
// The launcher is gone: nobody would start us again, so end as if it had asked.
process.once('disconnect', () => void stop().catch(() => process.exit(1)));
// These are the launcher's to hear.
leaveInterruptsToStarter();
process.on('SIGTERM', () => undefined);

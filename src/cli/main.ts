#!/usr/bin/env node
import { exitCodes } from './exit.ts';
import { runCli } from './program.ts';

const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // The second time it is meant at once; the jobs see that we are gone and clean up themselves.
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
    interrupt.abort();
  });
}
// A reader that closes early (`| head`) wants no more; that is no crash.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2), interrupt.signal);

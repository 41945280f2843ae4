#!/usr/bin/env node
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { exitCodes } from './terminal/exit.ts';

// What Node made of our sources is kept between runs, by the processes that we start too: that halves the time they
// take to start.
enableCompileCache();
const cacheDir = getCompileCacheDir();
if (cacheDir !== undefined) process.env['NODE_COMPILE_CACHE'] ??= cacheDir;

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

// Loaded after the cache is on.
const { runCli } = await import('./program.ts');
process.exitCode = await runCli(process.argv.slice(2), interrupt.signal);

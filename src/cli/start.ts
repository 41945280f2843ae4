// Imported as a namespace: Deno has no compile cache.
import * as nodeModule from 'node:module';
import { packageVersion } from '../library/core/start/package-version.ts';
import { unfitCLibrary } from '../library/core/machine/c-library.ts';
import { interruptSignals } from '../library/core/machine/child-processes.ts';
import { compileCacheFolder } from '../library/runtime/process/compile-cache.ts';
import { exitCodes } from './terminal/exit.ts';

// Node's compiled code is kept between runs, also for the processes that we start: that halves their start time.
const cacheFolder = compileCacheFolder();
if (cacheFolder !== null) {
  nodeModule.enableCompileCache?.(cacheFolder);
  process.env['NODE_COMPILE_CACHE'] = cacheFolder;
}

const interrupt = new AbortController();
for (const name of [...interruptSignals, 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // A second Ctrl-C exits at once; the jobs notice and clean up themselves.
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
    interrupt.abort();
  });
}
let isFull = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes early (`| head`) is not an error.
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  if (isFull) return;
  isFull = true;
  process.exitCode = exitCodes.failed;
  const why = error.code === 'ENOSPC' ? 'no space is left on the device' : error.message;
  process.stderr.write(`earshot: Standard output cannot be written: ${why}. Nothing more is done.\n`);
  // Jobs remove what they have begun.
  interrupt.abort();
});
// What cannot be said is not worth the work that is done.
process.stderr.on('error', () => undefined);

const args = process.argv.slice(2);
const end = args.indexOf('--');
const unfit = unfitCLibrary();
// Behind a command as well: no command has such a flag of its own.
const asksVersion =
  ['-V', 'version'].includes(args[0] ?? '') || args.slice(0, end === -1 ? args.length : end).includes('--version');
if (unfit === null && asksVersion) process.stdout.write(`${packageVersion()}\n`);
else if (unfit === null) {
  // Loaded after the cache is enabled.
  const { runCli } = await import('./program.ts');
  const code = await runCli(args, interrupt.signal);
  process.exitCode = isFull ? exitCodes.failed : code;
} else {
  process.stderr.write(`${unfit}\n`);
  process.exitCode = exitCodes.failed;
}

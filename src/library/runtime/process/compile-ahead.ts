// Fills the compile cache for job processes, which may only read it: a process that could write there would decide what
// code every later process runs, and job processes open untrusted files.
import { spawn } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outlivesUs } from '../../core/machine/child-processes.ts';
import { compileCacheFolder } from './compile-cache.ts';
import { jobEnvironment } from '../confine/environment.ts';
import type { NodeProgram } from './node-program.ts';
import { packageHooks } from '../../core/start/plug-n-play.ts';
import { compileOnly, jobMark } from '../channel/protocol.ts';
import { moduleUrl } from '../../core/running-files.ts';

/** Sources under development change all day; compiling them again is only slower. */
const staleMilliseconds = 24 * 3600 * 1000;

const entry = fileURLToPath(moduleUrl('library/runtime/job/job-process'));

let begun = false;

/**
 * Starts a process that loads these modules, saves their compiled code, and exits. Runs in the background, at most once
 * per host process, and only if none has done so for this installation and this Node within a day.
 */
export function compileAhead(moduleUrls: readonly string[], node: NodeProgram): void {
  const cache = compileCacheFolder();
  if (begun || cache === null) return;
  begun = true;
  const key = createHash('sha256')
    .update([entry, String(statSync(entry).mtimeMs), node.path, process.version, ...moduleUrls].join('\n'))
    .digest('hex');
  const stamp = join(cache, `job-${key.slice(0, 16)}`);
  const { mtimeMs } = statSync(stamp, { throwIfNoEntry: false }) ?? { mtimeMs: -Infinity };
  if (Date.now() - mtimeMs < staleMilliseconds) return;
  try {
    mkdirSync(dirname(stamp), { recursive: true, mode: 0o700 });
    // Written before the work, so that processes started meanwhile skip it.
    writeFileSync(stamp, '');
  } catch {
    return;
  }
  const environment = jobEnvironment();
  const flags = ['--disable-warning=ExperimentalWarning', ...packageHooks(environment)];
  const child = spawn(node.path, [...flags, entry, compileOnly, cache, ...moduleUrls], {
    env: {
      ...environment,
      ...jobMark,
      ...node.environment,
      NODE_COMPILE_CACHE: join(cache, `ahead-${process.pid}`),
    },
    stdio: 'ignore',
    ...outlivesUs,
  });
  child.on('error', () => undefined);
  child.unref();
}

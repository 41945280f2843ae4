/** A thread of the job process that ends it when the engine's process has died, and cleans up behind it. */
import { rmSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { memoryReportFd } from './protocol.ts';

const pollMilliseconds = 250;
const { parentPid, reportMemory } = workerData as { readonly parentPid: number; readonly reportMemory: boolean };
let workDir: string | undefined;

parentPort?.on(
  'message',
  (message: { readonly type: 'work-folder'; readonly workDir: string } | { readonly type: 'parent-gone' }) => {
    if (message.type === 'work-folder') workDir = message.workDir;
    else end();
  },
);

/** Nobody else is left to remove the partial files; an orphan's parent is another process. */
function end(): void {
  try {
    if (workDir !== undefined) rmSync(workDir, { recursive: true, force: true, maxRetries: 3 });
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

setInterval(() => {
  if (process.ppid !== parentPid) end();
  if (!reportMemory) return;
  try {
    writeSync(memoryReportFd, `${process.memoryUsage.rss()}\n`);
  } catch {
    // A full or closed pipe; the next report will do.
  }
}, pollMilliseconds);

/** The thread of `parent-watch.ts`, where the addon has none. */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { endOrphan } from './parent-watch.ts';
import { memoryReportFd } from '../channel/protocol.ts';

const { parentPid, reportMemory, pollMilliseconds } = workerData as {
  readonly parentPid: number;
  readonly reportMemory: boolean;
  readonly pollMilliseconds: number;
};
let workDir: string | undefined;

parentPort?.on('message', (path: string) => {
  workDir = path;
});

setInterval(() => {
  // An orphan gets another parent.
  if (process.ppid !== parentPid) endOrphan(workDir);
  if (!reportMemory) return;
  try {
    writeSync(memoryReportFd, `${process.memoryUsage.rss()}\n`);
  } catch {
    // A full or closed pipe; the next report will do.
  }
}, pollMilliseconds);

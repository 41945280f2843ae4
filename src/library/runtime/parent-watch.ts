// Ends a job process when the engine's process has died, and cleans up behind it.
import type { EventEmitter } from 'node:events';
import { rmSync } from 'node:fs';
import { nativeKernels } from '../kernels/load.ts';
import { memoryReportFd } from './protocol.ts';
import { moduleUrl } from '../core/running-files.ts';

const pollMilliseconds = 250;

export interface ParentWatch {
  /** What goes with the process: the partial files of its run. */
  setWorkFolder(path: string): void;
}

/** Nobody else is left to remove the partial files. */
export function endOrphan(workDir: string | undefined): void {
  try {
    if (workDir !== undefined) rmSync(workDir, { recursive: true, force: true, maxRetries: 3 });
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

/**
 * Watches the process that started this one, also while this thread is deep in a native loop: so another thread does, one
 * of the addon (a Worker costs 36 ms of CPU) where the addon has it, else a Worker.
 * @param channel to the parent: it closes with it
 */
export function watchParent(channel: EventEmitter): ParentWatch {
  const parentPid = process.ppid;
  const reportMemory = process.platform !== 'linux';
  let workDir: string | undefined;
  // The channel closes at once; the threads look every 250 ms.
  channel.once('close', () => endOrphan(workDir));
  const watch = nativeWatch(parentPid, reportMemory) ?? threadWatch(parentPid, reportMemory);
  return {
    setWorkFolder(path) {
      workDir = path;
      watch.setWorkFolder(path);
    },
  };
}

function nativeWatch(parentPid: number, reportMemory: boolean): ParentWatch | null {
  try {
    const { parentWatchStart, parentWatchFolder } = nativeKernels();
    if (!parentWatchStart(parentPid, pollMilliseconds, reportMemory ? memoryReportFd : undefined)) return null;
    return { setWorkFolder: parentWatchFolder };
  } catch {
    // No addon, or an older one: a tool that needs it will say so.
    return null;
  }
}

function threadWatch(parentPid: number, reportMemory: boolean): ParentWatch {
  const thread = import('node:worker_threads').then(({ Worker }) => {
    const worker = new Worker(new URL(moduleUrl('library/runtime/parent-watch-thread')), {
      workerData: { parentPid, reportMemory, pollMilliseconds },
    });
    worker.on('error', () => undefined);
    worker.unref();
    return worker;
  });
  return { setWorkFolder: (path) => void thread.then((worker) => worker.postMessage(path)) };
}

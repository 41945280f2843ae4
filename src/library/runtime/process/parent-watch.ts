// Ends a job process when the engine's process has died, and removes its files.
import type { EventEmitter } from 'node:events';
import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { nativeProcesses } from '../../kernels/processes.ts';
import { memoryReportFd } from '../channel/protocol.ts';
import { moduleUrl } from '../../core/running-files.ts';

const pollMilliseconds = 250;

export interface ParentWatch {
  /** The folder with the run's partial files, removed with the process. */
  setWorkFolder(path: string): void;
}

/** The host is gone, so the orphan removes its partial files itself. */
export function endOrphan(workDir: string | undefined): void {
  try {
    if (workDir !== undefined) removeAllThatMayGo(workDir);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

/**
 * What lies in a folder, and then the folder. A confined process may remove what it made and not its own folders:
 * `rmSync` of Node 22 stops at the first of those, and the files in it stay.
 */
function removeAllThatMayGo(folder: string): void {
  tryTo(() => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) removeAllThatMayGo(path);
      else tryTo(() => unlinkSync(path));
    }
  });
  tryTo(() => rmdirSync(folder));
}

function tryTo(remove: () => void): void {
  try {
    remove();
  } catch {
    // The next run of a host here removes it.
  }
}

/**
 * Watches the parent process, also while this thread is in a long native call. So another thread does it: one of the
 * addon (a Worker costs 36 ms of CPU), or a Worker where there is no addon.
 * @param channel to the parent: it closes when the parent dies
 */
export function watchParent(channel: EventEmitter): ParentWatch {
  const parentPid = process.ppid;
  const reportMemory = process.platform !== 'linux';
  let workDir: string | undefined;
  // The channel closes at once; the threads check every 250 ms.
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
    const { parentWatchStart, parentWatchFolder } = nativeProcesses();
    if (!parentWatchStart(parentPid, pollMilliseconds, reportMemory ? memoryReportFd : undefined)) return null;
    return { setWorkFolder: parentWatchFolder };
  } catch {
    // No addon, or an older one: a tool that needs it will say so.
    return null;
  }
}

function threadWatch(parentPid: number, reportMemory: boolean): ParentWatch {
  const thread = import('node:worker_threads').then(({ Worker }) => {
    const worker = new Worker(new URL(moduleUrl('library/runtime/process/parent-watch-thread')), {
      workerData: { parentPid, reportMemory, pollMilliseconds },
    });
    worker.on('error', () => undefined);
    worker.unref();
    return worker;
  });
  return { setWorkFolder: (path) => void thread.then((worker) => worker.postMessage(path)) };
}

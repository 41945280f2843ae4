import { nativeAddon } from './addon.ts';

/** What earshot.node does with processes and their memory. Every function throws a TypeError on a bad argument. */
export interface NativeProcesses {
  /** See native/process/parent_watch.h. false: not available on this system. */
  parentWatchStart(parentPid: number, pollMilliseconds: number, reportFd: number | undefined): boolean;
  parentWatchFolder(path: string): void;
  /**
   * See native/process/memory_watch.h.
   * @returns a number for `memoryWatchStop`; undefined: not available on this system, or no such process
   */
  memoryWatchStart(pid: number, limitBytes: number): number | undefined;
  memoryWatchStop(watched: number): { readonly usedBytes: number; readonly ended: boolean };
  /** Longest file that this process may write; undefined: no limit. false: not available on this system. */
  limitFileBytes(bytes: number | undefined, forGood: boolean): boolean;
  /** The kernel's version of Landlock; 0: none. */
  landlockVersion(): number;
  /** See native/process/second_filter.h. For good. false: this system has no filters of system calls. */
  addSecondFilter(): boolean;
  /** See native/process/free_memory.h. */
  freeUnusedMemory(): void;
  /** See native/process/large_pages.h. */
  preferLargePages(memory: Uint8Array): void;
  /** See native/process/real_time.h. */
  realTimeThreads(): readonly number[];
  endRealTime(thread: number): void;
  /**
   * See native/process/spawn_process.h.
   * @param environment `NAME=value`
   * @param onEnd its exit code or -1, and the number of the signal that ended it or -1
   * @returns undefined: nothing cheaper than Node's way on this system; errno: it could not be started
   */
  spawnProcess(
    program: string,
    programArguments: readonly string[],
    environment: readonly string[],
    pipes: number,
    session: boolean,
    onEnd: (code: number, signal: number) => void,
  ): SpawnedProcess | { readonly errno: number } | undefined;
}

export interface SpawnedProcess {
  readonly pid: number;
  /** Our ends of its descriptors 2, 3, ... */
  readonly fds: readonly number[];
  /** Sets whether it keeps this process's event loop alive; initially true. */
  setHeld(held: boolean): void;
}

/** @throws EarshotError as `nativeAddon` */
export const nativeProcesses = (): NativeProcesses => nativeAddon() as NativeProcesses;

/** For what only spares memory or time, and is left out without an addon. null: there is none, or it does not load */
export function processesIfAny(): NativeProcesses | null {
  try {
    return nativeProcesses();
  } catch {
    return null;
  }
}

/** Passed to each task with its item. */
export interface FanOutTask<Item> {
  readonly item: Item;
  /** true once the run was aborted or another task failed: return early then. Check once a block. */
  cancelled(): boolean;
  /** Names ArrayBuffers of the result that are moved instead of copied; they are empty here afterwards. */
  transfer(...buffers: readonly ArrayBuffer[]): void;
}

/** Runs independent tasks of one job, on several cores or in this thread. */
export interface FanOut {
  /**
   * How many threads may do one kind of work at the same time: limited by the run's cores and by its memory. Earlier
   * work on the same threads counts: they keep their networks.
   * @param threadBytes memory of one thread for all that this run does on threads
   * @param sharedBytes memory that the threads share; default 0
   * @returns at least 1
   */
  lanes(threadBytes: number, sharedBytes?: number): number;
  /**
   * Closes the networks that earlier tasks kept on any thread (models/sessions.ts) and collects their garbage, for a
   * stage that needs the memory. Waits for running tasks.
   */
  clearThreads(): Promise<void>;
  /**
   * Calls the function `exportName` of the module `taskModuleUrl` once per item, on at most min(parallelism, items)
   * threads, and returns the results in the order of the items. Items and results are structured-cloned; an ArrayBuffer
   * named in `transfer` is moved, a SharedArrayBuffer is shared. The first error cancels the other tasks and keeps its
   * code.
   * @param taskModuleUrl see `moduleUrl` in running-files.ts
   */
  map<Item, Result>(
    taskModuleUrl: string,
    exportName: string,
    items: readonly Item[],
    options?: { readonly signal?: AbortSignal; readonly transfer?: (item: Item) => readonly ArrayBuffer[] },
  ): Promise<Result[]>;
}

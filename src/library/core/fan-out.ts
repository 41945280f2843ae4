/** Handed to one piece of work, next to its item, wherever it runs. */
export interface FanOutTask<Item> {
  readonly item: Item;
  /**
   * Ask once a block: true as soon as the run was aborted or another task failed. A task that sees true should return
   * early.
   */
  cancelled(): boolean;
  /**
   * Names ArrayBuffers of the result that move to the receiver instead of being copied; they are empty here afterwards.
   */
  transfer(...buffers: readonly ArrayBuffer[]): void;
}

/** Runs independent pieces of one job, on several cores or right here. */
export interface FanOut {
  /**
   * How many threads may do one kind of work at the same time: as many as the run may keep cores busy, and as its memory
   * holds. What came before on the same threads counts: they keep their networks.
   * @param threadBytes what a thread takes for all that this run does on threads
   * @param sharedBytes what the threads share; default 0
   * @returns at least 1
   */
  lanes(threadBytes: number, sharedBytes?: number): number;
  /**
   * Closes the networks that pieces of earlier work kept on any thread (models/sessions.ts) and collects their garbage:
   * for a stage that needs the memory. Waits for the pieces that are under way.
   */
  clearThreads(): Promise<void>;
  /**
   * Calls the function `exportName` of the module `taskModuleUrl` once per item, on at most
   * min(parallelism, items) threads, and answers the results in the order of the items.
   * Items and results are structured-cloned; an ArrayBuffer named in `transfer` moves instead, a SharedArrayBuffer is
   * shared. The first error wins, keeps its code, and cancels the other tasks.
   * @param taskModuleUrl see `moduleUrl` in running-files.ts
   */
  map<Item, Result>(
    taskModuleUrl: string,
    exportName: string,
    items: readonly Item[],
    options?: { readonly signal?: AbortSignal; readonly transfer?: (item: Item) => readonly ArrayBuffer[] },
  ): Promise<Result[]>;
}

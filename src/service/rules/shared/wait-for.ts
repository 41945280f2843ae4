/**
 * Notifications of changed records, across processes. One may get lost: waiters also check again after a second.
 */
export interface Changes {
  /**
   * Resolves at the next change of the file or job, after `timeoutMs`, or when the signal is aborted. Never rejects.
   */
  next(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void>;
}

/** Notifications may get lost: load again after this time. */
const lookAgainMs = 1000;

/**
 * Loads until `done`, again at every notified change, for at most `waitSeconds`. Returns the last value.
 * @param signal ends the wait early, when the client has disconnected
 */
export async function waitFor<Value>(
  changes: Changes,
  id: string,
  load: () => Promise<Value>,
  done: (value: Value) => boolean,
  waitSeconds: number,
  signal?: AbortSignal,
): Promise<Value> {
  const end = performance.now() + waitSeconds * 1000;
  for (;;) {
    const leftMs = end - performance.now();
    if (leftMs <= 0 || signal?.aborted) return await load();
    // Listen before loading, so that no change in between is missed.
    const looked = new AbortController();
    const hint = changes.next(
      id,
      Math.min(lookAgainMs, leftMs),
      signal === undefined ? looked.signal : AbortSignal.any([looked.signal, signal]),
    );
    try {
      const value = await load();
      if (done(value)) return value;
      await hint;
    } finally {
      looked.abort();
    }
  }
}

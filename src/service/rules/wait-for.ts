import type { Changes } from './ports.ts';

/** Hints get lost; then waiters look again by themselves. */
const lookAgainMs = 1000;

/**
 * Loads until `done`, again at every hint of a change, for at most `waitSeconds`; answers what was loaded last.
 * @param signal the client went away: the wait ends early
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
    // Listening begins before the look, so that a change between the two is not missed.
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

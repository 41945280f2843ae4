// Spaces out work of several threads that needs most memory at its start.
import { setTimeout as sleep } from 'node:timers/promises';

/** One int64 that threads share: when the next start may be, in ns of `process.hrtime`. */
export type Starts = SharedArrayBuffer;

export const createStarts = (): Starts => new SharedArrayBuffer(8);

/** Waits until no other thread has started within `gapSeconds`. */
export async function waitForStart(starts: Starts, gapSeconds: number): Promise<void> {
  const next = new BigInt64Array(starts);
  const gap = BigInt(Math.round(gapSeconds * 1e9));
  for (;;) {
    const now = process.hrtime.bigint();
    const free = Atomics.load(next, 0);
    const start = free > now ? free : now;
    if (Atomics.compareExchange(next, 0, free, start + gap) !== free) continue;
    if (start > now) await sleep(Number(start - now) / 1e6);
    return;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

/** About eight seconds in all: longer than a database restart. */
const pausesMilliseconds = [50, 150, 400, 1000, 2000, 4000];

/**
 * Retries a call while it fails, with growing pauses, to survive a restart of the database. The call must be
 * idempotent.
 * @throws the last error
 */
export async function retryWithBackoff<Answer>(
  call: () => Promise<Answer>,
  onRetry: (thrown: unknown) => void,
  pauses: readonly number[] = pausesMilliseconds,
): Promise<Answer> {
  for (const pause of pauses) {
    try {
      return await call();
    } catch (thrown) {
      onRetry(thrown);
      await sleep(pause);
    }
  }
  return call();
}

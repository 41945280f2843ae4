import { setTimeout as sleep } from 'node:timers/promises';

/** About eight seconds: longer than a database takes to come back after a crash. */
const pausesMilliseconds = [50, 150, 400, 1000, 2000, 4000];

/**
 * Calls again while the call fails, because what it does must not be lost to a database that is just starting again.
 * Only for calls that may be repeated. @throws what the last call threw
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

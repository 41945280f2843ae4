import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError } from '../../../library/core/errors/errors.ts';

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

/** Did a part of the service, such as the store of files, not answer, so that the same call may succeed later? */
export const isOutage = (thrown: unknown): boolean =>
  thrown instanceof EarshotError && thrown.details?.['outage'] === true;

const longestOutageMs = 15 * 60_000;
const longestPauseMs = 15_000;

/**
 * Repeats a call while it fails because of an outage, up to a quarter of an hour: what a job has made is not thrown
 * away for a store that is busy. The call must be idempotent.
 * @throws any other error at once, the last one when it takes too long, or when the signal is aborted
 */
export async function outlastOutage<Answer>(
  call: () => Promise<Answer>,
  signal: AbortSignal,
  onRetry: (thrown: unknown) => void,
): Promise<Answer> {
  const until = performance.now() + longestOutageMs;
  for (let pauseMs = 1000; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    try {
      return await call();
    } catch (thrown) {
      if (!isOutage(thrown) || signal.aborted || performance.now() + pauseMs > until) throw thrown;
      onRetry(thrown);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

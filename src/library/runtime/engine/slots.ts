import { abortErrorOf, throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';

interface Waiting {
  start(): void;
}

/** A counting semaphore with a first-in, first-out queue. */
export interface Slots {
  /**
   * Waits for a free slot and returns the function that releases it (more calls do nothing).
   * @throws AbortError when the signal fires while waiting
   * @throws EarshotError limit_exceeded, retryable, when the queue is full
   */
  acquire(signal: AbortSignal): Promise<() => void>;
  /** Slots taken plus runs that wait. */
  readonly demand: number;
}

/** @param onDemand called when the demand has changed */
export function createSlots(places: number, maxQueued: number, onDemand: () => void = () => undefined): Slots {
  const queue: Waiting[] = [];
  let taken = 0;

  const release = (): (() => void) => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      taken--;
      queue.shift()?.start();
      onDemand();
    };
  };

  return {
    get demand() {
      return taken + queue.length;
    },
    acquire(signal) {
      throwIfAborted(signal);
      if (taken < places) {
        taken++;
        onDemand();
        return Promise.resolve(release());
      }
      if (queue.length >= maxQueued) {
        throw new EarshotError('limit_exceeded', `Expected at most ${maxQueued} queued runs but received one more`, {
          retryable: true,
          nextAction: 'Wait until a run ends and try again.',
          details: { limit: 'maxQueuedRuns', expected: maxQueued, received: maxQueued + 1 },
        });
      }
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          start() {
            signal.removeEventListener('abort', onAbort);
            taken++;
            resolve(release());
          },
        };
        const onAbort = (): void => {
          queue.splice(queue.indexOf(waiting), 1);
          onDemand();
          reject(abortErrorOf(signal));
        };
        signal.addEventListener('abort', onAbort, { once: true });
        queue.push(waiting);
        onDemand();
      });
    },
  };
}

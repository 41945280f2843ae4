import { AbortError } from '../../../library/core/abort.ts';

export interface Turns {
  /**
   * Resolves when the job may run, in the order of calls: an exclusive job when no other is running, the others when no
   * exclusive job is running. Returns a function that ends the turn.
   * @throws AbortError when the signal is aborted first
   */
  take(alone: boolean, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly alone: boolean;
  go(): void;
}

/** A readers-writer lock for the jobs of one worker: a job with `alone` runs exclusively. */
export function createTurns(): Turns {
  const queue: Waiting[] = [];
  let running = 0;
  let isTaken = false;

  const admit = (): void => {
    for (let [first] = queue; first !== undefined; [first] = queue) {
      if (isTaken || (first.alone && running > 0)) return;
      queue.shift();
      running += 1;
      isTaken = first.alone;
      first.go();
    }
  };
  const end = (): void => {
    running -= 1;
    isTaken = false;
    admit();
  };

  return {
    take: (alone, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new AbortError());
        const leave = (): void => {
          queue.splice(queue.indexOf(waiting), 1);
          reject(new AbortError());
          admit();
        };
        const waiting: Waiting = {
          alone,
          go() {
            signal.removeEventListener('abort', leave);
            resolve(end);
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        queue.push(waiting);
        admit();
      }),
  };
}

import { AbortError } from '../../../library/core/abort.ts';

export interface Turns {
  /**
   * Resolves when the job may run, in the order of the calls: one that runs alone when no other runs, the others when
   * none does that has to run alone. The answer ends the turn.
   * @throws AbortError when the signal fires first
   */
  take(alone: boolean, signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly alone: boolean;
  go(): void;
}

/** Who runs beside whom in one worker. */
export function createTurns(): Turns {
  const line: Waiting[] = [];
  let running = 0;
  let isTaken = false;

  const admit = (): void => {
    for (let [first] = line; first !== undefined; [first] = line) {
      if (isTaken || (first.alone && running > 0)) return;
      line.shift();
      running += 1;
      isTaken = first.alone;
      first.go();
    }
  };
  const end = (): void => {
    running -= 1;
    // One that ran alone was the only one.
    isTaken = false;
    admit();
  };

  return {
    take: (alone, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new AbortError());
        const leave = (): void => {
          line.splice(line.indexOf(waiting), 1);
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
        line.push(waiting);
        admit();
      }),
  };
}

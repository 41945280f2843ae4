/** What `createAnswerWatch` asks a process, and what it does with one that does not answer. */
export interface Watched {
  /** Asks for an answer. Called at most once per answer. */
  ask(): void;
  /** Called once, with the time without an answer in ms. */
  onSilent(silentMs: number): void;
}

/** A watch over one process. */
export interface AnswerWatch {
  /** The process has answered. */
  answered(): void;
  /** Ends the watch. */
  stop(): void;
}

/** Looks in the time that a process may be silent. */
const looksInLimit = 20;
/** A process that has not answered yet may be silent for so many times the limit. */
const loadingFactor = 12;
/** A look this many times later than planned shows that this process, or the machine, did not run. */
const lateFactor = 3;

/**
 * Asks a process again and again whether it answers, and says so when it has not for `limitMs`.
 *
 * The time counts only as far as this process ran itself: after a machine slept, or after this process was stopped or
 * busy, the other one may not have run either, and gets the whole time again. Until its first answer it has twelve
 * times as long, since a process answers nothing while it loads its code.
 * @param limitMs time without an answer, in ms; 0: no watch
 */
export function createAnswerWatch(limitMs: number, { ask, onSilent }: Watched): AnswerWatch {
  if (limitMs === 0) return { answered: () => undefined, stop: () => undefined };
  const everyMs = limitMs / looksInLimit;
  let lookedAt = performance.now();
  let silentMs = 0;
  let heard = false;
  let waiting = false;
  const timer = setInterval(() => {
    const at = performance.now();
    const passedMs = at - lookedAt;
    lookedAt = at;
    if (!waiting) {
      waiting = true;
      silentMs = 0;
      ask();
      return;
    }
    if (passedMs > everyMs * lateFactor) {
      silentMs = 0;
      return;
    }
    silentMs += passedMs;
    if (silentMs < (heard ? limitMs : limitMs * loadingFactor)) return;
    clearInterval(timer);
    onSilent(silentMs);
  }, everyMs);
  timer.unref();
  return {
    answered() {
      heard = true;
      waiting = false;
    },
    stop: () => clearInterval(timer),
  };
}

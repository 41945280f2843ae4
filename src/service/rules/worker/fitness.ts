/** Pauses after the first, second, ... failure in a row, in minutes; the last stays. */
const pauseMinutes = [1, 2, 4, 8] as const;
/** After so many in a row the worker stops: a fresh process may do better, and its end is seen. */
const mostFailures = 5;

/**
 * May this machine take jobs? What it lacks says nothing about the jobs that failed on it: they go to others, and it
 * takes none for a while, longer each time.
 */
export class Fitness {
  private failures = 0;
  private pausedUntil = -Infinity;
  private lacks: string | null = null;
  private readonly now: () => number;

  /** @param now ms; default: a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  mayTake(): boolean {
    return this.now() >= this.pausedUntil;
  }

  /** What it lacks, until a job succeeds; null: it is fit. */
  get reason(): string | null {
    return this.lacks;
  }

  /** Has it failed too often in a row? */
  get isHopeless(): boolean {
    return this.failures >= mostFailures;
  }

  /**
   * A job failed because of this machine. Jobs that ran at the same time fail together: that counts once.
   * @returns seconds of the new pause; null: it had begun
   */
  failed(reason: string): number | null {
    this.lacks = reason;
    if (!this.mayTake()) return null;
    const minutes = pauseMinutes[Math.min(this.failures, pauseMinutes.length - 1)] ?? 1;
    this.failures += 1;
    this.pausedUntil = this.now() + minutes * 60_000;
    return minutes * 60;
  }

  /** A job ended as it should. One that began before the failure proves nothing. */
  succeeded(): void {
    if (!this.mayTake()) return;
    this.failures = 0;
    this.lacks = null;
  }
}

import type { Log } from '../shared/log.ts';

/** Pauses after the first, second, ... failure in a row, in minutes; the last stays. */
const pauseMinutes = [1, 2, 4, 8] as const;
/** After so many in a row the worker stops: a fresh process may do better, and its end is seen. */
const mostFailures = 5;

/** How a machine's fitness is known. */
export interface FitnessOptions {
  /** Tries the machine: what it lacks, null: nothing. Default: none; it is fit until a job says otherwise */
  readonly probe?: () => Promise<string | null>;
  /** ms. Default: a clock that never goes back */
  readonly now?: () => number;
}

/**
 * May this machine take jobs? What it lacks says nothing about the jobs that failed on it: they go to others, and it
 * takes none for a while, longer each time. With a probe it takes the first one, and the next one after a pause, when
 * the probe has found nothing.
 */
export class Fitness {
  private failures = 0;
  private pausedUntil = -Infinity;
  private lacks: string | null = null;
  /** Since the last failure. */
  private proven: boolean;
  private probing: Promise<void> | null = null;
  private readonly probe: () => Promise<string | null>;
  private readonly needsNoProof: boolean;
  private readonly now: () => number;

  constructor({ probe, now = () => performance.now() }: FitnessOptions = {}) {
    this.probe = probe ?? (() => Promise.resolve(null));
    this.needsNoProof = probe === undefined;
    this.proven = this.needsNoProof;
    this.now = now;
  }

  mayTake(): boolean {
    return this.proven && !this.isPaused();
  }

  private isPaused(): boolean {
    return this.now() < this.pausedUntil;
  }

  /** What it lacks, until a job succeeds; null: it is fit. */
  get reason(): string | null {
    return this.lacks;
  }

  /** Has it failed too often in a row? */
  get isHopeless(): boolean {
    return this.failures >= mostFailures;
  }

  /** Probes the machine if that is due: at first, and after each pause. Calls at the same time share it. */
  async prove(log: Log): Promise<void> {
    if (this.proven || this.isPaused()) return;
    this.probing ??= this.tryOnce(log).finally(() => {
      this.probing = null;
    });
    await this.probing;
  }

  private async tryOnce(log: Log): Promise<void> {
    const lacks = await this.probe();
    if (lacks === null) this.proven = true;
    else this.failed(lacks, log);
  }

  /** A job, or the probe, failed because of this machine. Jobs that ran at the same time fail together: once counts. */
  failed(reason: string, log: Log): void {
    this.lacks = reason;
    if (this.isPaused()) return;
    const minutes = pauseMinutes[Math.min(this.failures, pauseMinutes.length - 1)] ?? 1;
    this.failures += 1;
    this.pausedUntil = this.now() + minutes * 60_000;
    this.proven = this.needsNoProof;
    log.error(
      { lacks: reason, pauseSeconds: minutes * 60 },
      'This machine lacks something for all jobs: it takes none for a while',
    );
  }

  /** A job ended as it should. One that began before the failure proves nothing. */
  succeeded(): void {
    if (!this.mayTake()) return;
    this.failures = 0;
    this.lacks = null;
  }
}

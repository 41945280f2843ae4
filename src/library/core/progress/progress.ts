import type { WarningCode } from '../errors/warnings.ts';

/** The progress of one run. `progress` never falls. */
export interface Progress {
  /** 0 to 1. */
  readonly progress: number;
  /** A short word for the current work: "queued", "analysing", "encoding". */
  readonly stage: string;
  /** Seconds, 0 or more, from the smoothed rate of the run so far; null until an estimate is possible. */
  readonly estimatedSecondsLeft: number | null;
}

/** Receives a run's progress, at most about ten times a second. */
export type OnProgress = (progress: Progress) => void;

/** Something the caller should know about a successful run. */
export interface Warning {
  /** A stable name, for programs; what each says: `warningCatalogue`. */
  readonly code: WarningCode;
  /** One readable sentence. */
  readonly message: string;
}

/**
 * Turns fractions into monotone progress with an estimate of the time left. Its clock starts with the first fraction,
 * so that time in the queue or for process start does not count. The rate is smoothed exponentially over about ten
 * seconds, so that one slow stage does not make the estimate jump.
 * @param now a clock in seconds
 */
export function createProgressMeter(
  now: () => number = () => performance.now() / 1000,
): (fraction: number, stage: string) => Progress {
  const smoothingSeconds = 10;
  /** An estimate before this is a guess. */
  const minimumSeconds = 0.5;
  const minimumFraction = 0.01;
  let startedAt: number | undefined;
  let lastAt = 0;
  let lastFraction = 0;
  let ratePerSecond = 0;

  return (fraction, stage) => {
    const at = now();
    const bounded = Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : lastFraction;
    const progress = Math.max(lastFraction, bounded);
    if (startedAt === undefined) {
      startedAt = lastAt = at;
      lastFraction = progress;
    }
    const elapsed = at - startedAt;
    const step = at - lastAt;
    if (step > 0 && progress > lastFraction) {
      const current = (progress - lastFraction) / step;
      const weight = ratePerSecond === 0 ? 1 : 1 - Math.exp(-step / smoothingSeconds);
      ratePerSecond += weight * (current - ratePerSecond);
      lastAt = at;
      lastFraction = progress;
    }
    const known = elapsed >= minimumSeconds && progress >= minimumFraction && ratePerSecond > 0;
    const estimatedSecondsLeft = progress >= 1 ? 0 : known ? (1 - progress) / ratePerSecond : null;
    return { progress, stage, estimatedSecondsLeft };
  };
}

import type { Progress } from '../../../library/core/progress/progress.ts';
import type { Log } from '../shared/log.ts';
import type { Heartbeat } from '../fleet/fleet.ts';

export interface ProgressWriter {
  note(progress: Progress): void;
  /** Stops, and resolves when the current write has ended. */
  stop(): Promise<void>;
}

export interface ProgressTimes {
  /** Shortest time between two writes. */
  readonly betweenWritesMs: number;
  /**
   * After this time without progress, the last one is written again: the response tells whether this attempt still owns
   * the job.
   */
  readonly withoutNewsMs: number;
}

export const progressTimes: ProgressTimes = { betweenWritesMs: 500, withoutNewsMs: 5000 };

/** Called for the responses of writes. */
export interface ProgressListeners {
  onCancel(): void;
  /** Another attempt owns the job. */
  onLost(): void;
}

/** Writes the latest progress of one attempt, skipping intermediate ones. */
export function createProgressWriter(
  heartbeat: Pick<Heartbeat, 'report'>,
  job: { readonly id: string; readonly attempt: number },
  listeners: ProgressListeners,
  log: Log,
  times: ProgressTimes = progressTimes,
): ProgressWriter {
  let latest: Progress = { progress: 0, stage: 'starting', estimatedSecondsLeft: null };
  let fresh = false;
  // Jobs that end within the first pause are written once, by their settlement.
  let lastWriteAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  let stopped = false;

  const write = async (): Promise<void> => {
    fresh = false;
    lastWriteAt = performance.now();
    try {
      const { current, cancelRequested } = await heartbeat.report(job.id, job.attempt, latest);
      if (stopped) return;
      if (cancelRequested) listeners.onCancel();
      else if (!current) listeners.onLost();
    } catch (thrown) {
      // Progress is not essential: the job continues, and the next write follows.
      log.warn({ err: thrown, jobId: job.id, attempt: job.attempt }, 'Could not write the progress of a job');
    }
  };
  const schedule = (): void => {
    if (stopped || writing !== null) return;
    clearTimeout(timer);
    const pause = lastWriteAt + (fresh ? times.betweenWritesMs : times.withoutNewsMs) - performance.now();
    timer = setTimeout(
      () => {
        writing = writeAndGoOn();
      },
      Math.max(0, pause),
    );
  };
  const writeAndGoOn = async (): Promise<void> => {
    await write();
    writing = null;
    schedule();
  };
  schedule();

  return {
    note(progress) {
      latest = progress;
      // The next write is already scheduled.
      if (fresh) return;
      fresh = true;
      schedule();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await writing;
    },
  };
}

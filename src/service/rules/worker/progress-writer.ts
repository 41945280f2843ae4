import type { Progress } from '../../../library/core/progress.ts';
import type { Log } from '../log.ts';
import type { JobStore } from '../ports.ts';

export interface ProgressWriter {
  note(progress: Progress): void;
  /** Resolves when a write under way has ended; there will be no other. */
  stop(): Promise<void>;
}

export interface ProgressTimes {
  /** At most one write in this time. */
  readonly betweenWritesMs: number;
  /**
   * A tool that reports nothing for this long is written again all the same: the answer tells whether the job is still
   * ours.
   */
  readonly withoutNewsMs: number;
}

export const progressTimes: ProgressTimes = { betweenWritesMs: 500, withoutNewsMs: 5000 };

/** What a write's answer asks the run to do. */
export interface ProgressListeners {
  onCancel(): void;
  /** Another attempt owns the job. */
  onLost(): void;
}

/** Writes the latest progress of one attempt, skipping what came in between. */
export function createProgressWriter(
  jobs: Pick<JobStore, 'report'>,
  job: { readonly id: string; readonly attempt: number },
  listeners: ProgressListeners,
  log: Log,
  times: ProgressTimes = progressTimes,
): ProgressWriter {
  let latest: Progress = { progress: 0, stage: 'starting', estimatedSecondsLeft: null };
  let fresh = false;
  // What ends within the first pause is written once, by its settlement.
  let lastWriteAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  let stopped = false;

  const write = async (): Promise<void> => {
    fresh = false;
    lastWriteAt = performance.now();
    try {
      const { current, cancelRequested } = await jobs.report(job.id, job.attempt, latest);
      if (stopped) return;
      if (cancelRequested) listeners.onCancel();
      else if (!current) listeners.onLost();
    } catch (thrown) {
      // Progress is a courtesy; the job goes on and the next write tries again.
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
      // The timer that waits for the next write is already the right one.
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

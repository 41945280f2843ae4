// What calls start, as jobs: clients give a call a minute, and an hour of sound takes longer. A call waits a while for
// its job; the job goes on when the call has ended, whatever ended it.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { startMark } from '../../../library/core/machine/start-mark.ts';
import type { OnProgress } from '../../../library/core/progress/progress.ts';
import type { AssistantAnswer } from '../../../library/contract/assistant-answers.ts';
import { JobRecords, keyOf, type LocalJob, type LocalJobStatus, newJobId } from './job-records.ts';

/** Before most clients give up on a call, which is after 60 s. */
export const mostWaitSeconds = 45;

/** How a call waits for a job. */
export interface Waiting {
  /** Of the call: aborted when the client has given it up. The job goes on. */
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  /** 0 to `mostWaitSeconds`. Default: that. */
  readonly waitSeconds?: number | undefined;
}

/** What a job does. Its signal is aborted by `cancel` and at the server's end. */
export type Work = (control: {
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}) => Promise<AssistantAnswer>;

interface Running {
  readonly stop: AbortController;
  readonly listeners: Set<OnProgress>;
  ended: Promise<void>;
  picture: Buffer | undefined;
}

/** How often progress is written down, and a job of another server is looked at. */
const writeMs = 2000;
const lookMs = 500;
/** A lost answer is given to the same call made again, for so long. */
const untoldMilliseconds = 15 * 60 * 1000;

export class LocalJobs {
  private readonly records: JobRecords;
  private readonly running = new Map<string, Running>();

  /** @param folder where jobs are kept; null: in memory */
  constructor(folder: string | null) {
    this.records = new JobRecords(folder);
  }

  /**
   * Starts a job and waits for it. The same call made again while its job runs, or before anyone was told how it ended,
   * is the same job: models repeat calls whose answer was lost.
   * @param given what the job depends on, as JSON
   */
  async start(call: string, given: unknown, work: Work, waiting: Waiting): Promise<Finished> {
    const key = keyOf(call, given);
    const known = this.records.all().find((job) => job.key === key && (job.status === 'running' || isUntold(job)));
    return this.wait(known?.id ?? this.begin(call, key, work), waiting);
  }

  /** The job once it has ended, or after the wait. @throws EarshotError not_found */
  async wait(id: string, { signal, onProgress, waitSeconds = mostWaitSeconds }: Waiting): Promise<Finished> {
    const running = this.running.get(id);
    const over = AbortSignal.any([signal, AbortSignal.timeout(Math.round(waitSeconds * 1000))]);
    if (running !== undefined) {
      running.listeners.add(onProgress);
      await Promise.race([
        running.ended,
        sleep(2 ** 31 - 1, undefined, { signal: over, ref: false }).catch(() => null),
      ]);
      running.listeners.delete(onProgress);
    }
    let job = running === undefined ? await this.watch(id, over, onProgress) : this.find(id);
    if (job.status !== 'running' && !job.told && !signal.aborted) {
      job = { ...job, told: true };
      this.records.write(job);
    }
    const picture = running?.picture;
    return picture === undefined ? { job } : { job, picture };
  }

  /** A job that another server may be doing. */
  private async watch(id: string, over: AbortSignal, onProgress: OnProgress): Promise<LocalJob> {
    for (;;) {
      const job = this.find(id);
      if (job.status !== 'running' || over.aborted) return job;
      onProgress(job);
      await sleep(lookMs, undefined, { signal: over }).catch(() => undefined);
    }
  }

  /** Newest first. */
  list(): readonly LocalJob[] {
    return this.records.all();
  }

  /** @throws EarshotError not_found; job_not_cancellable */
  async cancel(id: string): Promise<LocalJob> {
    const job = this.find(id);
    const running = this.running.get(id);
    if (running === undefined)
      throw new EarshotError(
        'job_not_cancellable',
        job.status === 'running' ? `${id} is done by another earshot mcp` : `${id} has ended: ${job.status}`,
      );
    running.stop.abort(cancelled);
    await running.ended;
    return this.find(id);
  }

  /** Ends all jobs of this server; they are found again as interrupted. */
  async close(): Promise<void> {
    const all = [...this.running.values()];
    for (const { stop } of all) stop.abort();
    await Promise.all(all.map(({ ended }) => ended));
  }

  private find(id: string): LocalJob {
    const job = this.records.find(id);
    if (job !== null) return job;
    throw new EarshotError('not_found', `There is no job ${id.slice(0, 60)} on these folders`, {
      nextAction: 'list_jobs has the ids of all.',
    });
  }

  private begin(call: string, key: string, work: Work): string {
    const id = newJobId();
    const stop = new AbortController();
    const listeners = new Set<OnProgress>();
    let job: LocalJob = {
      id,
      call,
      key,
      owner: { pid: process.pid, mark: startMark(process.pid) },
      status: 'running',
      startedAt: new Date().toISOString(),
      finishedAt: null,
      progress: 0,
      stage: 'queued',
      estimatedSecondsLeft: null,
      answer: null,
      error: null,
      told: false,
    };
    let writtenAt = performance.now();
    const change = (changes: Partial<LocalJob>): void => {
      job = { ...job, ...changes };
      writtenAt = performance.now();
      this.records.write(job);
    };
    change({});
    const onProgress: OnProgress = (told) => {
      const { progress, stage, estimatedSecondsLeft } = told;
      if (performance.now() - writtenAt > writeMs) change({ progress, stage, estimatedSecondsLeft });
      else job = { ...job, progress, stage, estimatedSecondsLeft };
      this.records.keep(job);
      for (const listener of listeners) listener(told);
    };
    const finished = (status: LocalJobStatus, changes: Partial<LocalJob> = {}): void =>
      change({ status, finishedAt: new Date().toISOString(), ...changes });
    const run = async (): Promise<void> => {
      try {
        const { picture, ...answer } = await work({ signal: stop.signal, onProgress });
        running.picture = picture;
        finished('succeeded', { progress: 1, stage: 'done', answer });
      } catch (thrown) {
        if (!stop.signal.aborted || !isAbortError(thrown))
          finished('failed', { error: EarshotError.from(thrown).toJSON() });
        else finished(stop.signal.reason === cancelled ? 'cancelled' : 'interrupted');
      } finally {
        this.running.delete(id);
      }
    };
    const running: Running = { stop, listeners, picture: undefined, ended: Promise.resolve() };
    this.running.set(id, running);
    running.ended = run();
    return id;
  }
}

/** A job as a call found it. */
export interface Finished {
  readonly job: LocalJob;
  /** Only from the server that made it, to a call that waited for it. */
  readonly picture?: Buffer;
}

const cancelled = 'cancelled';

/** Its files are still there, and no call has said that it succeeded. */
const isUntold = ({ status, told, finishedAt, answer }: LocalJob): boolean =>
  status === 'succeeded' &&
  !told &&
  Date.now() - Date.parse(finishedAt ?? '') < untoldMilliseconds &&
  missingFiles(answer).length === 0;

/** Paths of the files of an answer that are no longer there. */
export const missingFiles = (answer: LocalJob['answer']): readonly string[] => {
  const { outputs = [] } = (answer?.data ?? {}) as { readonly outputs?: readonly { readonly path: string }[] };
  return outputs.map(({ path }) => path).filter((path) => !existsSync(path));
};

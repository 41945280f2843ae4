import { isAbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { type MachineLack, machineLacks } from '../../../library/core/errors/machine-lacks.ts';
import type { Config } from '../settings/config.ts';
import { type Log, withFields } from '../shared/log.ts';
import type { MediaWork, ToolRunOutcome, ToolRunRequest } from '../../../library/contract/media-work.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Heartbeat } from '../fleet/fleet.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { SaidSentence, SaidSentences } from '../jobs/said-sentences.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { StoredError } from '../shared/stored-error.ts';
import type { StoredJob } from '../jobs/stored-job.ts';
import type { FactsByTool } from '../tools/tool-facts.ts';
import { boundFailure } from './bounds.ts';
import type { CancelWatch } from './cancel-watch.ts';
import { creditsToCharge } from './settlement.ts';
import { isOutage, outlastOutage, retryWithBackoff } from './retry-with-backoff.ts';
import { adoptOutputs, discardUnused, keptSeconds, keysOf, ownWarnings } from './outputs.ts';
import { createProgressWriter, type ProgressTimes } from './progress-writer.ts';
import { type DiskRoom, estimateOutputBytes, estimateWorkBytes } from './output-estimate.ts';
import { outputsOf } from './result-file.ts';
import type { RunFolders } from './run-folders.ts';
import { Resumable } from './resumable.ts';
import { openInputs, writingOf } from './run-inputs.ts';
import { mostJobSeconds } from './time-bound.ts';
import { voicesOf, type VoicesOfJobs } from '../voices/voices.ts';

export interface AttemptDeps {
  readonly jobs: JobStore;
  readonly heartbeat: Pick<Heartbeat, 'report'>;
  readonly files: FileStore;
  readonly objects: ObjectStore;
  /** Default: no voices are known. */
  readonly voices?: VoicesOfJobs | undefined;
  readonly media: MediaWork;
  /** Default: nothing is said before the end. */
  readonly said?: Pick<SaidSentences, 'say'> | undefined;
  readonly folders: RunFolders;
  readonly disk: DiskRoom;
  readonly cancels: CancelWatch;
  readonly tools: FactsByTool;
  readonly config: Pick<Config, 'retentionSeconds' | 'freeRetentionSeconds' | 'jobSeconds' | 'jobTimeFactor'>;
  readonly log: Log;
  readonly times: ProgressTimes;
  readonly now: () => Date;
  readonly onHeld: (fileIds: readonly string[]) => void;
}

/**
 * 'ended': the attempt is settled. 'again': the process crashed; start the next attempt now. 'later': the job could not
 * be run here; start the next attempt after a pause. 'outage': the store of files does not answer; the same, and the
 * attempt does not count. `lacks`: this machine lacks something for it; another one may have it.
 */
export type AttemptEnd = 'ended' | 'again' | 'later' | 'outage' | Unfit;

export interface Unfit {
  readonly lacks: MachineLack;
  /** What clients see if no other machine has it either. */
  readonly error: StoredError;
}

/** Keeps a job's row small. */
const mostWarnings = 20;

/** Why a run was stopped from outside. */
type Stop = 'cancel' | 'lost' | 'shutdown';

/** The result of a run, before its settlement. */
type Outcome =
  | { readonly kind: 'done'; readonly run: ToolRunOutcome }
  | { readonly kind: 'failed'; readonly error: StoredError }
  | { readonly kind: 'crashed' | 'broken'; readonly thrown: unknown }
  | { readonly kind: 'unfit'; readonly unfit: Unfit; readonly thrown: unknown }
  | { readonly kind: 'stopped'; readonly by: Stop };

/**
 * Runs one attempt of a job, from its input files to its settlement.
 * @param onRun called when the tool has ended, before its outputs are stored
 * @throws the database's error when it is unavailable for long
 */
export function runAttempt(
  deps: AttemptDeps,
  job: StoredJob,
  shutdown: AbortSignal,
  onRun: () => void = () => undefined,
): Promise<AttemptEnd> {
  return new Attempt(deps, job, onRun).run(shutdown);
}

class Attempt {
  private readonly deps: AttemptDeps;
  private readonly job: StoredJob;
  private readonly onRun: () => void;
  private readonly log: Log;
  private readonly startedAt = performance.now();
  private readonly stopping = new AbortController();
  private readonly progress: ReturnType<typeof createProgressWriter>;
  private firstStop: Stop | null = null;
  private outputDir: string | null = null;
  private keepSeconds = Infinity;
  private resumable = new Resumable([]);

  constructor(deps: AttemptDeps, job: StoredJob, onRun: () => void) {
    this.deps = deps;
    this.onRun = onRun;
    this.job = job;
    this.log = withFields(deps.log, { jobId: job.id, tool: job.tool, attempt: job.attempt });
    const stops = { onCancel: () => this.stop('cancel'), onLost: () => this.stop('lost') };
    this.progress = createProgressWriter(deps.heartbeat, job, stops, this.log, deps.times);
  }

  async run(shutdown: AbortSignal): Promise<AttemptEnd> {
    const stopWatching = this.deps.cancels.watch(this.job.id, () => this.stop('cancel'));
    const onShutdown = (): void => this.stop('shutdown');
    shutdown.addEventListener('abort', onShutdown, { once: true });
    if (shutdown.aborted) onShutdown();
    try {
      this.log.info({}, 'A job started');
      return await this.end(await this.work());
    } finally {
      stopWatching();
      shutdown.removeEventListener('abort', onShutdown);
      await this.progress.stop();
      if (this.outputDir !== null)
        await this.deps.folders
          .remove(this.outputDir)
          .catch((thrown: unknown) => this.log.warn({ err: thrown }, 'Could not remove the work folder of a job'));
    }
  }

  /** The first reason counts. */
  private stop(reason: Stop): void {
    this.firstStop ??= reason;
    this.stopping.abort();
  }

  private settle(call: () => Promise<boolean>): Promise<boolean> {
    return retryWithBackoff(call, (thrown) => this.log.warn({ err: thrown }, 'A settlement failed; retrying'));
  }

  private async work(): Promise<Outcome> {
    let outputDir: string;
    let inputs: Awaited<ReturnType<typeof openInputs>> | null = null;
    try {
      outputDir = await this.deps.folders.make();
      this.outputDir = outputDir;
      inputs = await openInputs(this.deps.files, this.deps.objects, this.job);
    } catch (thrown) {
      await inputs?.release().catch(() => undefined);
      const lacks = this.outputDir === null ? 'disk' : machineLacks(EarshotError.from(thrown));
      if (lacks !== null) return this.unfit(lacks, thrown);
      return thrown instanceof EarshotError && thrown.code === 'file_expired'
        ? { kind: 'failed', error: { code: thrown.code, message: thrown.message } }
        : { kind: 'broken', thrown };
    }
    const opened = inputs;
    await this.resume();
    this.deps.onHeld(opened.files.map(({ id }) => id));
    this.keepSeconds = keptSeconds(this.job, opened.files, this.deps.config);
    const outputBytes = estimateOutputBytes(this.deps.tools[this.job.tool], this.job, opened.files);
    const releaseSpace = await this.deps.disk.reserve(outputBytes);
    try {
      if (releaseSpace === null) {
        const shown =
          `The service has not enough disk space for the output of this job (${Math.ceil(outputBytes / 1e6)} ` +
          'MB); try again later';
        return this.unfit('disk', new EarshotError('internal_error', shown), shown);
      }
      const run = await this.deps.media.run({
        tool: this.job.tool,
        jobId: this.job.id,
        inputs: opened.byField,
        options: this.job.options,
        ...(await voicesOf(this.deps.voices, this.job)),
        owner: this.job.accountId,
        windowSeconds: this.job.windowSeconds,
        ...writingOf(this.job, opened.model),
        outputDir,
        // Room for bad estimates, a stop for runaway output.
        maxOutputBytes: 4 * estimateWorkBytes(this.job, opened.files),
        maxSeconds: mostJobSeconds(this.job, opened.files, this.deps.config),
        signal: this.stopping.signal,
        // 'queued' means waiting for a process here; for clients the job is running.
        onProgress: (now) => this.progress.note(now.stage === 'queued' ? { ...now, stage: 'starting' } : now),
        finishedParts: this.resumable.all,
        onFinishedPart: this.resumable.add,
        ...this.saying(),
      });
      const by = this.firstStop;
      if (by !== null && by !== 'shutdown') return { kind: 'stopped', by };
      const names = Object.values(opened.byField).flatMap((files) => files.map(({ name }) => name));
      this.onRun();
      return { kind: 'done', run: { ...run, outputs: await outputsOf(run, this.job.tool, names, outputDir) } };
    } catch (thrown) {
      const by = this.firstStop;
      if (by !== null) return { kind: 'stopped', by };
      // Not aborted by us: the engine is closing.
      if (isAbortError(thrown)) return { kind: 'stopped', by: 'shutdown' };
      const error = EarshotError.from(thrown);
      const lacks = machineLacks(error);
      if (lacks !== null)
        return this.unfit(
          lacks,
          error,
          error.code === 'internal_error' ? undefined : opened.withoutPaths(error.message, outputDir),
        );
      if (error.details?.['crashed'] === true) return { kind: 'crashed', thrown };
      if (error.code === 'not_found') {
        // The file may have been deleted before the job read it.
        const gone = await opened.missing();
        if (gone !== null) return { kind: 'failed', error: { code: gone.code, message: gone.message } };
      }
      const bounded = boundFailure(error, this.deps.config);
      if (bounded !== null) return { kind: 'failed', error: bounded };
      if (error.code !== 'internal_error')
        return { kind: 'failed', error: { code: error.code, message: opened.withoutPaths(error.message, outputDir) } };
      this.log.error({ err: thrown }, 'A tool failed with an internal error');
      // The message is only logged: it may contain paths of this machine.
      return {
        kind: 'failed',
        error: {
          code: 'internal_error',
          message: `${this.job.tool} failed because of an internal error of the service`,
        },
      };
    } finally {
      releaseSpace?.();
      await opened
        .release()
        .catch((thrown: unknown) => this.log.warn({ err: thrown }, 'Could not release the input files of a job'));
    }
  }

  /** Sentences go to those who wait for them as they are finished. */
  private saying(): Pick<ToolRunRequest, 'onPartial'> {
    const { said } = this.deps;
    if (said === undefined) return {};
    let count = 0;
    return {
      onPartial: ({ sentences }) => {
        const finished = (sentences ?? []) as unknown as readonly SaidSentence[];
        said.say(
          this.job.id,
          count,
          finished.map(({ startSeconds, endSeconds, text, speaker }) => ({ startSeconds, endSeconds, text, speaker })),
        );
        count += finished.length;
      },
    };
  }

  /** Takes over what earlier attempts had finished when their workers were stopped. */
  private async resume(): Promise<void> {
    if (this.job.attempt < 2) return;
    const earlier = await this.deps.jobs.finishedParts(this.job.id).catch((thrown: unknown) => {
      this.log.warn({ err: thrown }, 'Could not read what earlier attempts had finished; it is done again');
      return [];
    });
    this.resumable = new Resumable(earlier);
    if (earlier.length > 0) this.log.info({ finishedParts: earlier.length }, 'A job goes on where it was interrupted');
  }

  /** @param shown without paths of this machine */
  private unfit(lacks: MachineLack, thrown: unknown, shown?: string): Outcome {
    const { code, message } = EarshotError.from(thrown);
    // An internal error's message is only logged.
    const text = code === 'internal_error' ? 'No machine of the service could run this job; try again later' : message;
    const error: StoredError = { code, message: shown ?? text };
    return { kind: 'unfit', unfit: { lacks, error }, thrown };
  }

  private async end(outcome: Outcome): Promise<AttemptEnd> {
    if (outcome.kind === 'done') return this.publish(outcome.run);
    if (outcome.kind === 'stopped') return this.endStopped(outcome.by);
    if (outcome.kind === 'failed') {
      const { error } = outcome;
      return this.ended(
        await this.settle(() => this.deps.jobs.fail(this.job.id, this.job.attempt, error)),
        { code: error.code },
        'A job failed',
      );
    }
    if (outcome.kind === 'unfit') {
      this.log.error({ err: outcome.thrown, lacks: outcome.unfit.lacks }, 'A job lacks something on this machine');
      return outcome.unfit;
    }
    this.log.error(
      { err: outcome.thrown },
      outcome.kind === 'crashed' ? 'The process of a job died' : 'A job could not be run on this machine',
    );
    if (outcome.kind === 'crashed') return 'again';
    return isOutage(outcome.thrown) ? 'outage' : 'later';
  }

  private async endStopped(by: Stop): Promise<AttemptEnd> {
    if (by === 'cancel')
      return this.ended(
        await this.settle(() => this.deps.jobs.cancel(this.job.id, this.job.attempt)),
        {},
        'A job was cancelled',
      );
    if (by === 'shutdown')
      return this.ended(
        await this.settle(() => this.deps.jobs.requeue(this.job.id, this.job.attempt, this.resumable.all)),
        { finishedParts: this.resumable.all.length },
        'A job went back to the queue',
      );
    return this.dropped();
  }

  private async publish(run: ToolRunOutcome): Promise<AttemptEnd> {
    let credits: number;
    try {
      credits = creditsToCharge(this.job, run.processedSeconds);
    } catch (thrown) {
      const { code, message } = EarshotError.from(thrown);
      return this.end({ kind: 'failed', error: { code, message } });
    }
    let outputs: Awaited<ReturnType<typeof adoptOutputs>>;
    try {
      const { objects, now } = this.deps;
      outputs = await adoptOutputs(objects, this.job, run.outputs, this.keepSeconds, now(), (call) =>
        outlastOutage(call, this.stopping.signal, (thrown) =>
          this.log.warn({ err: thrown }, 'The output of a job could not be stored; retrying'),
        ),
      );
    } catch (thrown) {
      const lacks = machineLacks(EarshotError.from(thrown));
      return this.end(lacks === null ? { kind: 'broken', thrown } : this.unfit(lacks, thrown));
    }
    // Cancelling is possible until here. After a shutdown request, finished work still counts.
    const by = this.firstStop;
    if (by === 'cancel' || by === 'lost') {
      await discardUnused(this.deps.objects, this.deps.files, keysOf(outputs));
      return this.endStopped(by);
    }
    // If this throws, the settlement may still have been stored: the files are kept, and swept if unused.
    const settled = await this.settle(() =>
      this.deps.jobs.succeed(this.job.id, this.job.attempt, {
        outputs,
        result: run.result,
        warnings: ownWarnings(this.job, run.warnings).slice(0, mostWarnings),
        processedSeconds: run.processedSeconds,
        credits,
      }),
    );
    if (!settled) await discardUnused(this.deps.objects, this.deps.files, keysOf(outputs));
    return this.ended(settled, { outputs: outputs.length, processedSeconds: run.processedSeconds }, 'A job succeeded');
  }

  private ended(settled: boolean, fields: object, message: string): AttemptEnd {
    if (!settled) return this.dropped();
    this.log.info({ ...fields, ms: Math.round(performance.now() - this.startedAt) }, message);
    return 'ended';
  }

  private dropped(): AttemptEnd {
    this.log.warn({}, 'A job has ended or was taken over by another worker; the results of this attempt are dropped');
    return 'ended';
  }
}

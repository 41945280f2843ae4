import { isAbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { MediaWork, ToolRunOutcome } from '../../../library/contract/media-work.ts';
import type { FileStore, JobStore, ObjectStore } from '../ports.ts';
import type { StoredError, StoredJob } from '../records.ts';
import { boundFailure } from './bounds.ts';
import type { CancelWatch } from './cancel-watch.ts';
import { creditsToCharge } from './settlement.ts';
import { retryWithBackoff } from './retry-with-backoff.ts';
import { adoptOutputs, discardUnused, keysOf } from './outputs.ts';
import { createProgressWriter, type ProgressTimes } from './progress-writer.ts';
import { type DiskRoom, estimateOutputBytes, estimateWorkBytes } from './output-estimate.ts';
import { outputsOf } from './result-file.ts';
import type { RunFolders } from './run-folders.ts';
import { openInputs } from './run-inputs.ts';
import { mostJobSeconds } from './time-bound.ts';

export interface AttemptDeps {
  readonly jobs: JobStore;
  readonly files: FileStore;
  readonly objects: ObjectStore;
  readonly media: MediaWork;
  readonly folders: RunFolders;
  readonly disk: DiskRoom;
  readonly cancels: CancelWatch;
  readonly config: Pick<Config, 'retentionSeconds' | 'freeRetentionSeconds' | 'jobSeconds' | 'jobTimeFactor'>;
  readonly log: Log;
  readonly times: ProgressTimes;
}

/**
 * 'ended': the attempt is settled. 'again': the process crashed; start the next attempt now. 'later': the job could not
 * be run here; start the next attempt after a pause.
 */
export type AttemptEnd = 'ended' | 'again' | 'later';

/** Keeps a job's row small. */
const mostWarnings = 20;

/** Why a run was stopped from outside. */
type Stop = 'cancel' | 'lost' | 'shutdown';

/** The result of a run, before its settlement. */
type Outcome =
  | { readonly kind: 'done'; readonly run: ToolRunOutcome }
  | { readonly kind: 'failed'; readonly error: StoredError }
  | { readonly kind: 'crashed' | 'broken'; readonly thrown: unknown }
  | { readonly kind: 'stopped'; readonly by: Stop };

/**
 * Runs one attempt of a job, from its input files to its settlement.
 * @throws the database's error when it is unavailable for long
 */
export async function runAttempt(deps: AttemptDeps, job: StoredJob, shutdown: AbortSignal): Promise<AttemptEnd> {
  const { jobs, files, objects, cancels, folders, config, times } = deps;
  const log = withFields(deps.log, { jobId: job.id, tool: job.tool, attempt: job.attempt });
  const startedAt = performance.now();
  const onRetry = (thrown: unknown): void => log.warn({ err: thrown }, 'A settlement failed; retrying');
  const settle = (call: () => Promise<boolean>): Promise<boolean> => retryWithBackoff(call, onRetry);

  const stopping = new AbortController();
  let firstStop = null as Stop | null;
  const stoppedBy = (): Stop | null => firstStop;
  const stopBy = (reason: Stop) => (): void => {
    firstStop ??= reason;
    stopping.abort();
  };
  const stopWatching = cancels.watch(job.id, stopBy('cancel'));
  const progress = createProgressWriter(jobs, job, { onCancel: stopBy('cancel'), onLost: stopBy('lost') }, log, times);
  const onShutdown = stopBy('shutdown');
  shutdown.addEventListener('abort', onShutdown, { once: true });
  if (shutdown.aborted) onShutdown();

  let outputDir = null as string | null;
  try {
    log.info({}, 'A job started');
    const outcome = await work();
    return await end(outcome);
  } finally {
    stopWatching();
    shutdown.removeEventListener('abort', onShutdown);
    await progress.stop();
    if (outputDir !== null)
      await folders
        .remove(outputDir)
        .catch((thrown: unknown) => log.warn({ err: thrown }, 'Could not remove the work folder of a job'));
  }

  async function work(): Promise<Outcome> {
    let inputs: Awaited<ReturnType<typeof openInputs>> | null = null;
    try {
      outputDir = await folders.make();
      inputs = await openInputs(files, objects, job);
    } catch (thrown) {
      await inputs?.release().catch(() => undefined);
      return thrown instanceof EarshotError && thrown.code === 'file_expired'
        ? { kind: 'failed', error: { code: thrown.code, message: thrown.message } }
        : { kind: 'broken', thrown };
    }
    const opened = inputs;
    const outputBytes = estimateOutputBytes(job, opened.files);
    const releaseSpace = await deps.disk.reserve(outputBytes);
    try {
      if (releaseSpace === null) return diskFull(outputBytes);
      const run = await deps.media.run({
        tool: job.tool,
        inputs: opened.byField,
        options: job.options,
        owner: job.accountId,
        windowSeconds: job.windowSeconds,
        outputDir,
        // Room for bad estimates, a stop for runaway output.
        maxOutputBytes: 4 * estimateWorkBytes(job, opened.files),
        maxSeconds: mostJobSeconds(job, opened.files, config),
        signal: stopping.signal,
        // 'queued' means waiting for a process here; for clients the job is running.
        onProgress: (now) => progress.note(now.stage === 'queued' ? { ...now, stage: 'starting' } : now),
      });
      const by = stoppedBy();
      if (by !== null && by !== 'shutdown') return { kind: 'stopped', by };
      const names = Object.values(opened.byField).flatMap((files) => files.map(({ filename }) => filename));
      return { kind: 'done', run: { ...run, outputs: await outputsOf(run, job.tool, names, outputDir) } };
    } catch (thrown) {
      const by = stoppedBy();
      if (by !== null) return { kind: 'stopped', by };
      // Not aborted by us: the engine is closing.
      if (isAbortError(thrown)) return { kind: 'stopped', by: 'shutdown' };
      const error = EarshotError.from(thrown);
      if (error.details?.['crashed'] === true) return { kind: 'crashed', thrown };
      if (error.code === 'not_found') {
        // The file may have been deleted before the job read it.
        const gone = await opened.missing();
        if (gone !== null) return { kind: 'failed', error: { code: gone.code, message: gone.message } };
      }
      const bounded = boundFailure(error, config);
      if (bounded !== null) return { kind: 'failed', error: bounded };
      if (error.code !== 'internal_error')
        return { kind: 'failed', error: { code: error.code, message: opened.withoutPaths(error.message, outputDir) } };
      log.error({ err: thrown }, 'A tool failed with an internal error');
      // The message is only logged: it may contain paths of this machine.
      return {
        kind: 'failed',
        error: { code: 'internal_error', message: `${job.tool} failed because of an internal error of the service` },
      };
    } finally {
      releaseSpace?.();
      await opened
        .release()
        .catch((thrown: unknown) => log.warn({ err: thrown }, 'Could not release the input files of a job'));
    }
  }

  function diskFull(bytes: number): Outcome {
    log.error({ bytes }, 'Not enough disk space for the output of a job');
    return {
      kind: 'failed',
      error: {
        code: 'internal_error',
        message: `The service has not enough disk space for the output of this job (${Math.ceil(bytes / 1e6)} MB); try again later`,
      },
    };
  }

  async function end(outcome: Outcome): Promise<AttemptEnd> {
    if (outcome.kind === 'done') return publish(outcome.run);
    if (outcome.kind === 'stopped') return endStopped(outcome.by);
    if (outcome.kind === 'failed') {
      const { error } = outcome;
      return ended(await settle(() => jobs.fail(job.id, job.attempt, error)), { code: error.code }, 'A job failed');
    }
    log.error(
      { err: outcome.thrown },
      outcome.kind === 'crashed' ? 'The process of a job died' : 'A job could not be run on this machine',
    );
    return outcome.kind === 'crashed' ? 'again' : 'later';
  }

  async function endStopped(by: Stop): Promise<AttemptEnd> {
    if (by === 'cancel') return ended(await settle(() => jobs.cancel(job.id, job.attempt)), {}, 'A job was cancelled');
    if (by === 'shutdown')
      return ended(await settle(() => jobs.requeue(job.id, job.attempt)), {}, 'A job went back to the queue');
    return dropped();
  }

  async function publish(run: ToolRunOutcome): Promise<AttemptEnd> {
    let credits: number;
    try {
      credits = creditsToCharge(job, run.processedSeconds);
    } catch (thrown) {
      const { code, message } = EarshotError.from(thrown);
      return end({ kind: 'failed', error: { code, message } });
    }
    let outputs: Awaited<ReturnType<typeof adoptOutputs>>;
    try {
      outputs = await adoptOutputs(
        objects,
        job,
        run.outputs,
        job.accountId === null ? config.freeRetentionSeconds : config.retentionSeconds,
      );
    } catch (thrown) {
      return end({ kind: 'broken', thrown });
    }
    // Cancelling is possible until here. After a shutdown request, finished work still counts.
    const by = stoppedBy();
    if (by === 'cancel' || by === 'lost') {
      await discardUnused(objects, files, keysOf(outputs));
      return endStopped(by);
    }
    // If this throws, the settlement may still have been stored: the files are kept, and swept if unused.
    const settled = await settle(() =>
      jobs.succeed(job.id, job.attempt, {
        outputs,
        result: run.result,
        warnings: run.warnings.slice(0, mostWarnings),
        processedSeconds: run.processedSeconds,
        credits,
      }),
    );
    if (!settled) await discardUnused(objects, files, keysOf(outputs));
    return ended(settled, { outputs: outputs.length, processedSeconds: run.processedSeconds }, 'A job succeeded');
  }

  function ended(settled: boolean, fields: object, message: string): AttemptEnd {
    if (!settled) return dropped();
    log.info({ ...fields, ms: Math.round(performance.now() - startedAt) }, message);
    return 'ended';
  }

  function dropped(): AttemptEnd {
    log.warn({}, 'A job has ended or was taken over by another worker; the results of this attempt are dropped');
    return 'ended';
  }
}

function withFields(log: Log, fields: object): Log {
  return {
    info: (more, message) => log.info({ ...fields, ...more }, message),
    warn: (more, message) => log.warn({ ...fields, ...more }, message),
    error: (more, message) => log.error({ ...fields, ...more }, message),
  };
}

import { EarshotError } from '../../../library/core/errors/errors.ts';
import { hashOf } from '../shared/hash-of.ts';
import type { MediaWork } from '../../../library/contract/media-work.ts';
import type { Config } from '../settings/config.ts';
import { newId } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import type { FileStore, NewFile } from '../files/file-store.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { QueueHandler } from '../shared/queue-handler.ts';
import { outputOwner, type StoredJob } from '../jobs/stored-job.ts';
import { discardUnused, keptSeconds, ownWarnings } from '../worker/outputs.ts';
import { creditsToCharge } from '../worker/settlement.ts';
import type { RunnerAnswer, RunnerFile, RunnerRun, RunnerStore } from './runner-store.ts';

export interface AcceptanceDeps {
  readonly runners: RunnerStore;
  readonly jobs: Pick<JobStore, 'get' | 'succeed' | 'fail'>;
  readonly files: Pick<FileStore, 'usedKeys' | 'getMany'>;
  readonly objects: ObjectStore;
  readonly media: Pick<MediaWork, 'check'>;
  readonly config: Pick<Config, 'retentionSeconds' | 'freeRetentionSeconds'>;
  readonly log: Log;
  /** Default: this machine's clock. */
  readonly now?: () => Date;
}

/** Tolerance of lengths: a tool knows them to the sample, the check to the packet. */
const toleranceSeconds = 1;
const toleranceShare = 0.01;

/**
 * The task 'accept': checks the files that a runner has sent like uploads of strangers, and settles the job. If
 * something is not as the runner reported, the files are deleted and the job runs again elsewhere.
 */
export function createAcceptance(deps: AcceptanceDeps): QueueHandler {
  const { runners, jobs, files, objects, media, config, log, now = () => new Date() } = deps;

  const discard = (run: RunnerRun): Promise<void> =>
    discardUnused(
      objects,
      files,
      run.outputs.map(({ key }) => key),
    );

  /** The file's record. @throws EarshotError file_invalid when it is not what the runner reported */
  const examine = async (
    job: StoredJob,
    run: RunnerRun,
    said: RunnerFile,
    keepSeconds: number,
    signal: AbortSignal,
  ): Promise<NewFile> => {
    const sent = run.outputs[said.output];
    if (sent === undefined || !sent.whole) throw lie(`output ${said.output} has not arrived`);
    const local = await objects.checkOut(sent.key).catch((thrown: unknown) => {
      throw EarshotError.from(thrown).code === 'not_found' ? lie(`output ${said.output} is gone`) : thrown;
    });
    try {
      const sha256 = await hashOf(local.path);
      if (sha256 !== said.sha256) throw lie(`output ${said.output} has the SHA-256 ${sha256}, not ${said.sha256}`);
      const found = await media.check(local.path, said.filename, said.contentType, signal, job.accountId);
      if (!found.ok) throw lie(`output ${said.output} cannot be used: ${found.error.message}`);
      if (found.hasAudio !== said.hasAudio || found.hasVideo !== said.hasVideo)
        throw lie(`output ${said.output} holds other kinds of media than it was said to`);
      const { contentType, format, hasAudio, hasVideo, durationSeconds, media: facts } = found;
      const createdAt = now();
      return {
        id: newId('file'),
        accountId: outputOwner(job),
        kind: 'output',
        status: 'ready',
        filename: said.filename,
        contentType,
        format,
        durationSeconds: isNear(said.durationSeconds, durationSeconds) ? said.durationSeconds : durationSeconds,
        hasVideo,
        hasAudio,
        media: facts,
        upload: null,
        importHash: null,
        sourceJobId: job.id,
        objectKey: sent.key,
        sizeBytes: sent.sizeBytes,
        sha256,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + keepSeconds * 1000),
      };
    } finally {
      await local.release();
    }
  };

  return async (id, signal) => {
    const run = await runners.handedOver(id);
    const answer = run?.answer ?? null;
    if (run === null || answer === null) return;
    const fields = { jobId: id, attempt: run.attempt, runner: run.runnerId };
    const job = await jobs.get(id);
    if (job?.status !== 'running' || job.attempt !== run.attempt) {
      log.warn(fields, 'A runner answered late; its results are dropped');
      await discard(run);
      await runners.forget(run);
      return;
    }
    const outputs: NewFile[] = [];
    try {
      const inputs = (await files.getMany(Object.values(job.inputs).flat())).filter((file) => file !== null);
      const keepSeconds = keptSeconds(job, inputs, config);
      for (const said of answer.files) outputs.push(await examine(job, run, said, keepSeconds, signal));
    } catch (thrown) {
      if (!(thrown instanceof EarshotError) || thrown.details?.['lie'] !== true) throw thrown;
      log.warn({ ...fields, reason: thrown.message }, 'The answer of a runner is refused; the job runs again');
      await discard(run);
      await runners.refused(run);
      return;
    }
    const settled = await settle(jobs, job, run, answer, outputs);
    // Including files that it sent but did not list.
    await discard(run);
    if (settled) log.info({ ...fields, outputs: outputs.length }, 'A job succeeded on a runner');
    await runners.accepted(run);
  };
}

/** false: another attempt has the job, or it has ended. */
async function settle(
  jobs: Pick<JobStore, 'succeed' | 'fail'>,
  job: StoredJob,
  { attempt }: RunnerRun,
  { result, warnings, processedSeconds }: RunnerAnswer,
  outputs: readonly NewFile[],
): Promise<boolean> {
  let credits: number;
  try {
    credits = creditsToCharge(job, processedSeconds);
  } catch (thrown) {
    const { code, message } = EarshotError.from(thrown);
    return await jobs.fail(job.id, attempt, { code, message });
  }
  return await jobs.succeed(job.id, attempt, {
    outputs,
    result,
    warnings: ownWarnings(job, warnings),
    processedSeconds,
    credits,
  });
}

const lie = (message: string): EarshotError => new EarshotError('file_invalid', message, { details: { lie: true } });

const isNear = (said: number | null, found: number | null): boolean =>
  // Only the tool knows the duration of a text.
  found === null || (said !== null && Math.abs(said - found) <= toleranceSeconds + toleranceShare * found);

import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError, type ErrorJson } from '../../../library/core/errors/errors.ts';
import type { Progress } from '../../../library/core/progress/progress.ts';
import { isStage } from '../../../library/core/progress/stages.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import { hashSecret } from '../accounts/access.ts';
import type { Config } from '../settings/config.ts';
import { requireDiskRoom } from '../files/disk-room.ts';
import type { FleetStore } from '../fleet/fleet.ts';
import { cleanFilename } from '../files/names.ts';
import type { Log } from '../shared/log.ts';
import type { FileStore } from '../files/file-store.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { ObjectStore, PartReceipt, UploadInParts } from '../files/object-store.ts';
import type { StoredError } from '../shared/stored-error.ts';
import type { StoredJob } from '../jobs/stored-job.ts';
import type { Tokens } from '../shared/tokens.ts';
import type { FactsByTool } from '../tools/tool-facts.ts';
import { boundFailure } from '../worker/bounds.ts';
import { filesToOpen, gone, modelField } from '../worker/run-inputs.ts';
import { estimateOutputBytes, estimateWorkBytes, noRoomPauseSeconds } from '../worker/output-estimate.ts';
import { mostJobSeconds } from '../worker/time-bound.ts';
import { readPools } from '../fleet/pools.ts';
import { depthOf, type QueueDepth } from './depth.ts';
import { InputLinks, lostJob } from './input-links.ts';
import { Line } from './line.ts';
import { fleetIdOf, mayTakeMore, type RunnerMachine, RunnerMachines } from './machine.ts';
import { voicesOf, type VoicesOfJobs } from '../voices/voices.ts';
import type { RunnerOrder, RunnerPart } from './order.ts';
import type {
  ClaimedEntry,
  ClaimingRunner,
  Runner,
  RunnerAnswer,
  RunnerEntries,
  RunnerRun,
  RunnerStore,
} from './runner-store.ts';

export interface DeskDeps {
  readonly runners: RunnerStore;
  readonly fleet: FleetStore;
  readonly entries: RunnerEntries;
  readonly jobs: JobStore;
  readonly files: Pick<FileStore, 'getMany'>;
  readonly objects: ObjectStore;
  /** Default: no voices are known. */
  readonly voices?: VoicesOfJobs;
  readonly tools: FactsByTool;
  readonly tokens: Tokens;
  readonly config: Pick<
    Config,
    | 'jobAttempts'
    | 'jobSeconds'
    | 'jobTimeFactor'
    | 'partBytes'
    | 'diskReserveBytes'
    | 'runnerJobs'
    | 'runnerLeaseSeconds'
    | 'accountRunningJobs'
    | 'pools'
  >;
  readonly baseUrl: () => string;
  /**
   * An answer as the tool of the job can give it.
   * @throws EarshotError bad_request with what is wrong
   */
  readonly readAnswer: (given: unknown, tool: ToolId) => RunnerAnswer;
  readonly log: Log;
  /** Runners must have the same version, since tools may change. */
  readonly version: string;
  readonly now?: () => Date;
}

/** After this many refused answers in a row a runner gets no more jobs. */
const mostRefused = 3;
/** Time for settling after the run. */
const afterwardsSeconds = 3600;
const mostParts = 10_000;
const noRoom: StoredError = {
  code: 'internal_error',
  message: 'The service has not enough disk space for the output of this job; try again later',
};

/**
 * The runners' API. Their jobs are settled by the same statements, and fenced by the same attempt numbers, as those of
 * workers.
 */
export class RunnerDesk {
  private readonly deps: DeskDeps;
  private readonly line: Line;
  private readonly machines: RunnerMachines;
  private readonly links: InputLinks;
  private readonly now: () => Date;

  constructor(deps: DeskDeps) {
    this.deps = deps;
    const { runnerLeaseSeconds, accountRunningJobs } = deps.config;
    this.line = new Line(deps.entries, runnerLeaseSeconds, accountRunningJobs);
    this.machines = new RunnerMachines(deps.fleet, deps.config);
    this.now = deps.now ?? (() => new Date());
    this.links = new InputLinks(deps, this.now);
  }

  /**
   * The next job that suits the machine, as soon as there is one; null: none came in that time.
   * @throws EarshotError unauthorized, forbidden, conflict (another version), limit_exceeded
   */
  async ask(
    token: string,
    { waitSeconds, ...machine }: RunnerMachine & { readonly waitSeconds: number },
    signal?: AbortSignal,
  ): Promise<RunnerOrder | null> {
    const runner = await this.runnerOf(token);
    const claiming = await this.admit(runner, machine);
    const end = performance.now() + waitSeconds * 1000;
    const left = (): number => Math.max(0, (end - performance.now()) / 1000);
    if (claiming === null) {
      await sleep(left() * 1000, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
      return null;
    }
    for (;;) {
      const claimed = await this.line.next(claiming, left(), signal);
      if (claimed === null) return null;
      try {
        const order = await this.begin(claimed, runner, machine);
        if (order === null) continue;
        if (signal?.aborted !== true) return order;
        // The runner disconnected at this moment.
        await this.giveUp(order.token, 'back');
        return null;
      } catch (thrown) {
        await this.deps.entries.release(claimed).catch(() => undefined);
        throw thrown;
      }
    }
  }

  /** What waits, so that somebody can start as many runners. @throws EarshotError unauthorized */
  async queue(token: string): Promise<QueueDepth> {
    await this.runnerOf(token);
    return depthOf(await this.deps.jobs.queued(), readPools(this.deps.config.pools));
  }

  /** The runner's process has stopped: it leaves the list of the fleet. @throws EarshotError unauthorized */
  async leave(token: string, session: string): Promise<void> {
    await this.machines.leave(await this.runnerOf(token), session);
  }

  private async runnerOf(token: string): Promise<Runner> {
    const runner = await this.deps.runners.find(hashSecret(token));
    if (runner === null || runner.revokedAt !== null) throw unknownToken();
    return runner;
  }

  /** null: it gets no job at the moment. @throws EarshotError forbidden, conflict (another version), limit_exceeded */
  private async admit(runner: Runner, asked: RunnerMachine): Promise<ClaimingRunner | null> {
    const { runners, config, version } = this.deps;
    if (runner.refused >= mostRefused)
      throw new EarshotError('forbidden', `${mostRefused} answers of this runner in a row were refused`, {
        nextAction: 'Find out why in the log of the service, then make a new token for it.',
      });
    if (asked.version !== version)
      throw new EarshotError('conflict', `Expected a runner of version ${version} but it has ${asked.version}`, {
        nextAction: `Install Earshot ${version} on the runner.`,
        details: { expected: version, received: asked.version },
      });
    const running = await runners.running(runner.id);
    if (running >= config.runnerJobs)
      throw new EarshotError('limit_exceeded', `Expected at most ${config.runnerJobs} jobs at a time on one runner`, {
        details: { retryAfterSeconds: config.runnerLeaseSeconds },
      });
    const claiming = await this.machines.claimingFor(runner, asked);
    return asked.takesJobs !== false && mayTakeMore(runner, running, this.now()) ? claiming : null;
  }

  /** null: the job has ended, or was ended here. */
  private async begin(
    { jobId, entryId, claim }: ClaimedEntry & { readonly jobId: string },
    runner: Runner,
    machine: RunnerMachine,
  ): Promise<RunnerOrder | null> {
    const { jobs, files, entries, runners, tokens, config } = this.deps;
    const entry = { entryId, claim };
    const [runnerId, workerId] = [runner.id, fleetIdOf(runner.id, machine.session)];
    const turn = await jobs.turn(jobId, workerId);
    const job = turn === null ? null : await jobs.start(jobId, workerId, config.jobAttempts, turn.attempt, machine);
    if (turn === null || job === null) {
      await entries.end(entry);
      return null;
    }
    const named = filesToOpen(job);
    const found = await files.getMany(named.map(({ id }) => id));
    const lost = named.find((_, index) => found[index]?.status !== 'ready');
    if (lost !== undefined) {
      const { code, message } = gone(lost.field, lost.id);
      await jobs.fail(jobId, job.attempt, { code, message });
      await entries.end(entry);
      return null;
    }
    const opened = found.filter((file) => file !== null);
    const there = opened.filter((_, index) => named[index]?.field !== modelField);
    const maxOutputBytes = 4 * estimateWorkBytes(job, there);
    const maxSeconds = mostJobSeconds(job, there, config);
    const until = new Date(this.now().getTime() + (maxSeconds + afterwardsSeconds) * 1000);
    await runners.begin({ jobId, attempt: job.attempt, runnerId, ...entry, maxOutputBytes });
    const fileIds = there.map(({ id }) => id);
    // Only a preference for later jobs: this one does not fail with it.
    await this.machines.began(runner, machine, fileIds).catch(() => undefined);
    return {
      token: tokens.sign('runner', `${jobId}.${job.attempt}`, until),
      tool: job.tool,
      options: job.options,
      ...(await voicesOf(this.deps.voices, job)),
      windowSeconds: job.windowSeconds,
      inputs: this.links.inputsOf(job, named, opened, until),
      writes: job.writes ?? null,
      maxOutputBytes,
      outputBytes: estimateOutputBytes(this.deps.tools[job.tool], job, there),
      maxSeconds,
      leaseSeconds: config.runnerLeaseSeconds,
      alone: turn.alone,
      owner: ownerOf(job, runnerId),
    };
  }

  /** Renews the lease and stores the progress. `current` false: the job is another machine's, or has ended. */
  async report(
    token: string,
    progress: Progress,
  ): Promise<{ readonly current: boolean; readonly cancelRequested: boolean }> {
    const run = await this.runOf(token);
    if (run === null || !(await this.deps.entries.renew(run))) return { current: false, cancelRequested: false };
    // An unknown word is left out and the last one stays: the job is not lost for a word, and no stranger's text shows.
    const stage = isStage(progress.stage) ? progress.stage : null;
    return await this.deps.runners.report(run, { ...progress, stage });
  }

  /** @throws EarshotError unauthorized, conflict when the job is another one's, file_expired */
  openInput(token: string): ReturnType<InputLinks['open']> {
    return this.links.open(token);
  }

  /** Begins an output. @throws EarshotError file_too_large, conflict when the job is another one's */
  async addOutput(
    token: string,
    sizeBytes: number,
  ): Promise<{ readonly output: number; readonly parts: readonly RunnerPart[] }> {
    const { objects, runners, config } = this.deps;
    const run = await this.current(token);
    if (sizeBytes > run.maxOutputBytes)
      throw new EarshotError(
        'file_too_large',
        `Expected at most ${run.maxOutputBytes} bytes but received ${sizeBytes}`,
        {
          details: { maxBytes: run.maxOutputBytes },
        },
      );
    await requireDiskRoom(objects, config, sizeBytes);
    const folder = createHash('sha256').update(run.jobId).digest('hex').slice(0, 32);
    const key = `outputs/${folder}/${run.attempt}-${randomBytes(4).toString('hex')}`;
    const upload = { key, uploadId: await objects.beginUpload(key) };
    const output = await runners.addOutput(run, { ...upload, sizeBytes }).catch(async (thrown: unknown) => {
      await objects.abortUpload(upload);
      throw thrown;
    });
    return { output, parts: await this.partsOf(token, output, sizeBytes, upload) };
  }

  private async partsOf(
    token: string,
    output: number,
    sizeBytes: number,
    upload: UploadInParts,
  ): Promise<readonly RunnerPart[]> {
    const { objects, baseUrl } = this.deps;
    const until = new Date(this.now().getTime() + afterwardsSeconds * 1000);
    return await Promise.all(
      this.placesOf(sizeBytes).map(async ({ number, exactBytes }) => ({
        part: number,
        sizeBytes: exactBytes,
        url:
          objects.direct === undefined
            ? `${baseUrl()}/api/runner/outputs/${token}/${output}/${number}`
            : await objects.direct.putPart(upload, { number, exactBytes }, until),
      })),
    );
  }

  private placesOf(sizeBytes: number) {
    const partBytes = Math.max(this.deps.config.partBytes, Math.ceil(sizeBytes / mostParts));
    const count = Math.max(1, Math.ceil(sizeBytes / partBytes));
    return Array.from({ length: count }, (_, index) => ({
      number: index + 1,
      offsetBytes: index * partBytes,
      exactBytes: Math.min(partBytes, sizeBytes - index * partBytes),
    }));
  }

  /** Receives a part. Its receipt is needed to join the parts. */
  async acceptPart(
    token: string,
    output: number,
    part: number,
    body: Readable,
    signal: AbortSignal,
  ): Promise<PartReceipt> {
    const { objects } = this.deps;
    const run = await this.current(token);
    const { key, uploadId, sizeBytes } = outputOf(run, output);
    const place = this.placesOf(sizeBytes)[part - 1];
    if (place === undefined) throw new EarshotError('bad_request', `There is no part ${part} of output ${output}`);
    await requireDiskRoom(objects, this.deps.config, place.exactBytes);
    return await objects.writePart({ key, uploadId }, place, body, signal);
  }

  /** Joins the parts of an output. @throws EarshotError conflict when some are missing or other ones */
  async completeOutput(token: string, output: number, receipts: readonly PartReceipt[]): Promise<void> {
    const run = await this.current(token);
    const { key, uploadId, sizeBytes } = outputOf(run, output);
    const sum = receipts.reduce((bytes, receipt) => bytes + receipt.sizeBytes, 0);
    if (sum !== sizeBytes)
      throw new EarshotError('conflict', `Expected parts of ${sizeBytes} bytes in all but they have ${sum}`);
    await this.deps.objects.completeUpload({ key, uploadId }, receipts);
    await this.deps.runners.outputWhole(run, output);
  }

  /**
   * Takes the answer of a run that succeeded; a worker looks at the files before the job is settled. false: the job is
   * another one's, nothing changes.
   * @throws EarshotError bad_request, not_found when the tool cannot have answered so; the job goes to another machine
   */
  async handOver(token: string, given: unknown): Promise<boolean> {
    const { runners, jobs, entries } = this.deps;
    const run = await this.runOf(token);
    if (run === null) return false;
    // Sent again, since the runner did not get our answer.
    if (run.answer !== null) return true;
    const job = await jobs.get(run.jobId);
    if (job === null || !(await entries.renew(run))) return false;
    try {
      return await runners.handOver(run, this.answerOf(given, job, run));
    } catch (thrown) {
      const { code, message } = EarshotError.from(thrown);
      if (code !== 'bad_request' && code !== 'not_found') throw thrown;
      const fields = { jobId: run.jobId, attempt: run.attempt, runner: run.runnerId, reason: message };
      this.deps.log.warn(fields, 'The answer of a runner is refused; the job runs again');
      await this.discardOutputs(run);
      await runners.refused(run);
      throw thrown;
    }
  }

  private answerOf(given: unknown, { tool }: StoredJob, run: RunnerRun): RunnerAnswer {
    const answer = this.deps.readAnswer(given, tool);
    const files = answer.files.map((file) => ({ ...file, filename: cleanFilename(file.filename) }));
    for (const { output } of files) outputOf(run, output);
    if (new Set(files.map(({ output }) => output)).size !== files.length)
      throw new EarshotError('bad_request', 'Expected each output once in the answer');
    if (files.length === 0)
      throw new EarshotError('bad_request', 'Expected at least one file in the answer but it has none');
    if (this.deps.tools[tool].writesText === true && files.some(({ hasAudio, hasVideo }) => hasAudio || hasVideo))
      throw new EarshotError('bad_request', `Expected files of text, as ${tool} writes them, but one holds media`);
    return { ...answer, files };
  }

  private async discardOutputs({ outputs }: RunnerRun): Promise<void> {
    const { objects } = this.deps;
    for (const { key, uploadId, whole } of outputs)
      await (whole ? objects.remove(key) : objects.abortUpload({ key, uploadId })).catch(() => undefined);
  }

  /**
   * The run failed. 'again': its process crashed; another one tries, and the attempt counts. It does not count
   * otherwise: 'back': the runner stops; 'unfit': the runner lacks something for all jobs; 'no-room': for this one.
   * 'cancelled' where a client has asked for it; else it is 'back', since runners do not decide that.
   */
  async giveUp(
    token: string,
    said: ErrorJson | 'again' | 'back' | 'unfit' | 'no-room' | 'cancelled',
  ): Promise<boolean> {
    const { jobs, entries, runners, config } = this.deps;
    const run = await this.runOf(token);
    if (run === null || run.answer !== null || !(await entries.renew(run))) return false;
    await this.discardOutputs(run);
    const isAsked = said !== 'cancelled' || (await jobs.get(run.jobId))?.cancelRequested === true;
    const why = isAsked ? said : 'back';
    let isSettled = true;
    if (why === 'again') {
      await jobs.crashed(run.jobId, run.attempt);
      await entries.release(run);
    } else if (why === 'back') isSettled = await jobs.requeue(run.jobId, run.attempt);
    else if (why === 'unfit') isSettled = await jobs.passOn(run.jobId, run.attempt, null, 0);
    else if (why === 'no-room') isSettled = await jobs.passOn(run.jobId, run.attempt, noRoom, noRoomPauseSeconds);
    else {
      isSettled =
        why === 'cancelled'
          ? await jobs.cancel(run.jobId, run.attempt)
          : await jobs.fail(run.jobId, run.attempt, storedError(why, config));
      await entries.end(run);
    }
    await (why === 'again' || why === 'back' || why === 'unfit' ? runners.forget(run) : runners.ended(run));
    return isSettled;
  }

  private async runOf(token: string): Promise<RunnerRun | null> {
    const reading = await this.deps.tokens.read('runner', token, this.now());
    if (!reading.ok) throw unknownToken();
    const [jobId = '', attempt = ''] = reading.id.split('.');
    return await this.deps.runners.run(jobId, Number(attempt));
  }

  /** The run, whose lease is renewed. @throws EarshotError conflict when the job is another one's */
  private async current(token: string): Promise<RunnerRun> {
    const run = await this.runOf(token);
    if (run === null || run.answer !== null || !(await this.deps.entries.renew(run))) throw lostJob();
    return run;
  }
}

const unknownToken = (): EarshotError =>
  new EarshotError('unauthorized', 'This token of a runner is unknown, has expired or was revoked');

function outputOf(run: RunnerRun, output: number): RunnerRun['outputs'][number] {
  const found = run.outputs[output];
  if (found === undefined) throw new EarshotError('not_found', `This run has no output ${output}`);
  return found;
}

/** A runner learns which jobs belong together, but not whose they are. */
const ownerOf = ({ accountId }: StoredJob, runnerId: string): string | null =>
  accountId === null ? null : createHash('sha256').update(`${runnerId}:${accountId}`).digest('hex').slice(0, 16);

function storedError(error: ErrorJson, config: Pick<Config, 'jobSeconds'>) {
  const bounded = boundFailure(EarshotError.fromJSON(error), config);
  if (bounded !== null) return bounded;
  const { code, message } = error;
  return code === 'internal_error'
    ? { code, message: 'The tool failed because of an internal error of the service' }
    : { code, message };
}

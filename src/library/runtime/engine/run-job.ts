import { dirname } from 'node:path';
import { abortErrorOf } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { FinishedPart } from '../../core/progress/finished-parts.ts';
import type { JsonObject } from '../../core/json.ts';
import { lacking } from '../../core/errors/machine-lacks.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { BegunPass } from '../../core/progress/run-meter.ts';
import { memoryExceeded, outputExceeded, timeExceeded } from '../job/limit-errors.ts';
import { type MemoryWatch, watchMemory } from '../process/memory-watch.ts';
import { greetingMilliseconds } from '../process/node-program.ts';
import type { FromJob, ProcessRequest, ProcessResult } from '../channel/protocol.ts';
import type { JobProcess } from '../process/spawn.ts';
import type { ProcessEnd } from '../process/start-process.ts';
import { inPartOf } from '../files/work-folder.ts';
import { countWritten, type WrittenCount } from '../process/written-count.ts';

/**
 * How long an aborted job may take to end by itself before it is killed: abort and kill together stay within 500 ms.
 */
const abortGraceMilliseconds = 300;
const diskPollMilliseconds = 500;
/** The longest delay that setTimeout takes, about 24 days. */
const longestDelayMilliseconds = 2 ** 31 - 1;

export interface JobLimits {
  readonly maxJobMemoryBytes: number;
  readonly maxJobSeconds: number;
  /** Of all files in the run's folder at a time; Infinity: no limit. */
  readonly maxOutputBytes: number;
}

export interface JobListeners {
  onFraction(fraction: number, stage: string): void;
  onPass(pass: BegunPass): void;
  onWarning(warning: Warning): void;
  onPartial(part: JsonObject): void;
  onFinishedPart(part: FinishedPart): void;
  /** A model file whose hash the process could not save. The path is not verified. */
  onUnremembered(path: string): void;
}

/**
 * Runs one job in a job process. Unless it ends well and `keep` is true, the process has ended when this settles.
 * @throws AbortError, the tool's own EarshotError, limit_exceeded (time or memory), or internal_error after a crash
 */
export function runJob(
  job: JobProcess,
  request: ProcessRequest,
  limits: JobLimits,
  signal: AbortSignal,
  listeners: JobListeners,
  keep = false,
): Promise<ProcessResult> {
  return new RunningJob(job, request, limits, signal, listeners).run(keep);
}

type Incoming = FromJob | { readonly type: 'garbage'; readonly why: string };

class RunningJob {
  private readonly job: JobProcess;
  private readonly request: ProcessRequest;
  private readonly limits: JobLimits;
  private readonly signal: AbortSignal;
  private readonly listeners: JobListeners;
  private readonly outcome = deferred<ProcessResult>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    job: JobProcess,
    request: ProcessRequest,
    limits: JobLimits,
    signal: AbortSignal,
    listeners: JobListeners,
  ) {
    this.job = job;
    this.request = request;
    this.limits = limits;
    this.signal = signal;
    this.listeners = listeners;
  }

  async run(keep: boolean): Promise<ProcessResult> {
    const { job, request, limits, signal, outcome, timers } = this;
    let isWell = false;
    const memory = watchMemory(job, request.workDir, limits.maxJobMemoryBytes, (used) =>
      outcome.reject(memoryExceeded(limits.maxJobMemoryBytes, used)),
    );
    job.listen((message) => this.onMessage(message));
    signal.addEventListener('abort', this.onAbort, { once: true });
    void job.exit.then((exit) => outcome.reject(this.explain(exit, memory)));
    if (Number.isFinite(limits.maxOutputBytes)) {
      const written = countWritten(job, request.workDir);
      timers.push(setInterval(() => void this.watchDisk(written), diskPollMilliseconds));
    }
    const limitMilliseconds = Math.min(limits.maxJobSeconds * 1000, longestDelayMilliseconds);
    timers.push(setTimeout(() => outcome.reject(timeExceeded(limits.maxJobSeconds)), limitMilliseconds));
    timers.push(setTimeout(() => this.refuseMisfit('silent'), greetingMilliseconds));
    // A reused process has sent its greeting already.
    this.refuseMisfit(null);
    job.send({ type: 'start', request });
    if (signal.aborted) this.onAbort();

    try {
      const result = await outcome.promise;
      isWell = true;
      return result;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      memory.stop();
      signal.removeEventListener('abort', this.onAbort);
      job.listen(null);
      // Also after success: its files are written and closed, and a clean exit would stop threads that use node-av,
      // which aborts the process.
      if (!isWell || !keep) {
        job.kill();
        await job.exit;
      }
    }
  }

  private readonly onAbort = (): void => {
    this.job.send({ type: 'abort' });
    this.timers.push(setTimeout(() => this.outcome.reject(abortErrorOf(this.signal)), abortGraceMilliseconds));
  };

  private onMessage(message: Incoming): void {
    const { signal, outcome, listeners, limits } = this;
    const { toolId } = this.request;
    switch (message.type) {
      case 'ready':
        return this.refuseMisfit(null);
      case 'progress':
        return this.notify(() => listeners.onFraction(message.fraction, message.stage));
      case 'pass':
        return this.notify(() => listeners.onPass(message));
      case 'warning':
        return this.notify(() => listeners.onWarning(this.named(message.warning)));
      case 'partial':
        return this.notify(() => listeners.onPartial(message.part));
      case 'finished':
        return this.notify(() => listeners.onFinishedPart(message.part));
      case 'unremembered':
        return listeners.onUnremembered(message.path);
      case 'garbage':
        return outcome.reject(
          new EarshotError('internal_error', `The job process of ${toolId} sent ${message.why}`, {
            details: { crashed: true },
          }),
        );
      case 'done':
        return signal.aborted ? outcome.reject(abortErrorOf(signal)) : outcome.resolve(message.result);
      case 'failed':
        if (signal.aborted) return outcome.reject(abortErrorOf(signal));
        return outcome.reject(
          message.error.code === 'internal_error' && outOfMemory.test(message.error.message)
            ? memoryExceeded(limits.maxJobMemoryBytes, null)
            : failure({ ...message, error: this.named(message.error) }),
        );
      case 'aborted':
        return outcome.reject(
          signal.aborted
            ? abortErrorOf(signal)
            : new EarshotError('internal_error', `${toolId} stopped without being aborted`),
        );
    }
  }

  /** Links to inputs in a message of the process by the names that users know. */
  private named<Said extends { readonly message: string }>(said: Said): Said {
    const { folder, inputs } = this.request;
    const message = Object.values(inputs)
      .flat()
      .filter(({ path }) => dirname(path) === inPartOf(folder))
      // The path of a later one may begin with that of an earlier one.
      .reduceRight((text, { path, name }) => text.replaceAll(path, () => name), said.message);
    return { ...said, message };
  }

  /** A caller's listener that throws ends its run, not the host. */
  private notify(call: () => void): void {
    try {
      if (!this.signal.aborted) call();
    } catch (thrown) {
      this.outcome.reject(thrown);
    }
  }

  private refuseMisfit(how: 'silent' | null): void {
    const misfit = this.job.misfit(how);
    if (misfit !== null) this.outcome.reject(misfit);
  }

  private async watchDisk(written: WrittenCount): Promise<void> {
    const { maxOutputBytes } = this.limits;
    const bytes = await written.bytes(maxOutputBytes);
    if (bytes > maxOutputBytes) this.outcome.reject(outputExceeded(maxOutputBytes, bytes));
  }

  /** Why the process ended before its result. */
  private explain(exit: ProcessEnd, memory: MemoryWatch): Error {
    const { job, signal } = this;
    const { toolId } = this.request;
    const { maxJobMemoryBytes } = this.limits;
    if (signal.aborted) return abortErrorOf(signal);
    const met = memory.met();
    if (met !== null) return memoryExceeded(maxJobMemoryBytes, met);
    if (job.ranOutOfMemory()) return memoryExceeded(maxJobMemoryBytes, null);
    const tail = job.stderrTail();
    if (outOfMemory.test(tail)) return memoryExceeded(maxJobMemoryBytes, null);
    return couldNotStart(toolId, exit, tail) ?? job.misfit(exit) ?? crash(toolId, exit, tail);
  }
}

/** Promise.withResolvers, which our oldest TypeScript library target lacks. */
function deferred<T>(): { promise: Promise<T>; resolve(value: T): void; reject(reason: unknown): void } {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

function failure({ error, stack }: Extract<FromJob, { type: 'failed' }>): EarshotError {
  const thrown = EarshotError.fromJSON(error);
  if (stack !== undefined) thrown.cause = new Error(`In the job process: ${stack}`);
  return thrown;
}

/** Out-of-memory messages of V8, C++ and FFmpeg: the limit of a confined process acts at once. */
const outOfMemory = /out of memory|bad_alloc|cannot allocate memory|buffer allocation failed/i;

/** Exit code of the launcher when it could not confine the process; Node never started. */
const cannotConfine = 125;

/** null: it did start. */
function couldNotStart(toolId: string, { exitCode, cause }: ProcessEnd, stderrTail: string): EarshotError | null {
  if (cause)
    return new EarshotError('internal_error', `The job process of ${toolId} could not start: ${cause.message}`, {
      cause,
      details: { crashed: true, ...lacking('process') },
    });
  if (exitCode === cannotConfine)
    return new EarshotError(
      'internal_error',
      `The job process of ${toolId} could not be confined: ${stderrTail.trim()}`,
      {
        nextAction: 'Run `earshot doctor`, which lists what this system offers, or set EARSHOT_CONFINEMENT=off.',
        details: { crashed: true, ...lacking('process') },
      },
    );
  return null;
}

function crash(toolId: string, { exitCode, signal }: ProcessEnd, stderrTail: string): EarshotError {
  const how = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
  return new EarshotError('internal_error', `The job process of ${toolId} ended unexpectedly (${how})`, {
    details: { crashed: true, signal, exitCode, stderrTail },
  });
}

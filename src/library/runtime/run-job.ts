import { abortErrorOf } from '../core/abort.ts';
import { EarshotError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Warning } from '../core/progress.ts';
import type { BegunPass } from '../core/run-meter.ts';
import { bytesInFolder } from './folder-size.ts';
import { memoryExceeded, outputExceeded, timeExceeded } from './limit-errors.ts';
import { watchMemory } from './memory-watch.ts';
import { greetingMilliseconds } from './node-program.ts';
import type { FromJob, ProcessRequest, ProcessResult } from './protocol.ts';
import type { JobProcess } from './spawn.ts';
import type { ProcessEnd } from './start-process.ts';

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
  /** A model file whose hash the process could not save. The path is not verified. */
  onUnremembered(path: string): void;
}

/**
 * Runs one job in a job process. Unless it ends well and `keep` is true, the process has ended when this settles.
 * @throws AbortError, the tool's own EarshotError, limit_exceeded (time or memory), or internal_error after a crash
 */
export async function runJob(
  job: JobProcess,
  request: ProcessRequest,
  limits: JobLimits,
  signal: AbortSignal,
  listeners: JobListeners,
  keep = false,
): Promise<ProcessResult> {
  let isWell = false;
  const outcome = deferred<ProcessResult>();
  const timers: NodeJS.Timeout[] = [];

  const onAbort = (): void => {
    job.send({ type: 'abort' });
    timers.push(setTimeout(() => outcome.reject(abortErrorOf(signal)), abortGraceMilliseconds));
  };
  const onMessage = (message: FromJob | { readonly type: 'garbage'; readonly why: string }): void => {
    switch (message.type) {
      case 'ready':
        return refuseMisfit(null);
      case 'progress':
        return notify(() => listeners.onFraction(message.fraction, message.stage));
      case 'pass':
        return notify(() => listeners.onPass(message));
      case 'warning':
        return notify(() => listeners.onWarning(message.warning));
      case 'partial':
        return notify(() => listeners.onPartial(message.part));
      case 'unremembered':
        return listeners.onUnremembered(message.path);
      case 'garbage':
        return outcome.reject(
          new EarshotError('internal_error', `The job process of ${request.toolId} sent ${message.why}`, {
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
            : failure(message),
        );
      case 'aborted':
        return outcome.reject(
          signal.aborted
            ? abortErrorOf(signal)
            : new EarshotError('internal_error', `${request.toolId} stopped without being aborted`),
        );
    }
  };
  /** A caller's listener that throws ends its run, not the host. */
  const notify = (call: () => void): void => {
    try {
      if (!signal.aborted) call();
    } catch (thrown) {
      outcome.reject(thrown);
    }
  };

  const refuseMisfit = (how: 'silent' | null): void => {
    const misfit = job.misfit(how);
    if (misfit !== null) outcome.reject(misfit);
  };

  const watchDisk = async (): Promise<void> => {
    const written = await bytesInFolder(request.workDir);
    if (written > limits.maxOutputBytes) outcome.reject(outputExceeded(limits.maxOutputBytes, written));
  };

  const memory = watchMemory(job, request.workDir, limits.maxJobMemoryBytes, (used) =>
    outcome.reject(memoryExceeded(limits.maxJobMemoryBytes, used)),
  );
  job.listen(onMessage);
  signal.addEventListener('abort', onAbort, { once: true });
  const explain = (exit: ProcessEnd): Error => {
    if (signal.aborted) return abortErrorOf(signal);
    const met = memory.met();
    if (met !== null) return memoryExceeded(limits.maxJobMemoryBytes, met);
    if (job.ranOutOfMemory()) return memoryExceeded(limits.maxJobMemoryBytes, null);
    const tail = job.stderrTail();
    if (outOfMemory.test(tail)) return memoryExceeded(limits.maxJobMemoryBytes, null);
    return couldNotStart(request.toolId, exit, tail) ?? job.misfit(exit) ?? crash(request.toolId, exit, tail);
  };
  void job.exit.then((exit) => outcome.reject(explain(exit)));
  if (Number.isFinite(limits.maxOutputBytes)) timers.push(setInterval(() => void watchDisk(), diskPollMilliseconds));
  const limitMilliseconds = Math.min(limits.maxJobSeconds * 1000, longestDelayMilliseconds);
  timers.push(setTimeout(() => outcome.reject(timeExceeded(limits.maxJobSeconds)), limitMilliseconds));
  timers.push(setTimeout(() => refuseMisfit('silent'), greetingMilliseconds));
  // A reused process has sent its greeting already.
  refuseMisfit(null);
  job.send({ type: 'start', request });
  if (signal.aborted) onAbort();

  try {
    const result = await outcome.promise;
    isWell = true;
    return result;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    memory.stop();
    signal.removeEventListener('abort', onAbort);
    job.listen(null);
    // Also after success: its files are written and closed, and a clean exit would stop threads that use node-av, which
    // aborts the process.
    if (!isWell || !keep) {
      job.kill();
      await job.exit;
    }
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
      details: { crashed: true },
    });
  if (exitCode === cannotConfine)
    return new EarshotError(
      'internal_error',
      `The job process of ${toolId} could not be confined: ${stderrTail.trim()}`,
      {
        nextAction: 'Run `earshot doctor`, which lists what this system offers, or set EARSHOT_CONFINEMENT=off.',
        details: { crashed: true },
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

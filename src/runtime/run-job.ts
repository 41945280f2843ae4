import { AbortError } from '../core/abort.ts';
import { EarshotError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Warning } from '../core/progress.ts';
import { residentBytes } from './process-tree.ts';
import type { FromJob, ProcessRequest, ProcessResult } from './protocol.ts';
import type { JobExit, JobProcess } from './spawn.ts';

/**
 * How long an aborted job may take to end by itself before it is killed. Together with the kill it stays within 500 ms.
 */
const abortGraceMilliseconds = 300;
const memoryPollMilliseconds = 250;
/** The longest delay that setTimeout takes, about 24 days. */
const longestDelayMilliseconds = 2 ** 31 - 1;

export interface JobLimits {
  readonly maxJobMemoryBytes: number;
  readonly maxJobSeconds: number;
}

export interface JobListeners {
  onFraction(fraction: number, stage: string): void;
  onWarning(warning: Warning): void;
  onPartial(part: JsonObject): void;
}

/**
 * Runs one job in a job process and ends the process, whatever happens. The process is gone when this settles.
 * @throws AbortError, the tool's own EarshotError, limit_exceeded (time or memory), or internal_error after a crash
 */
export async function runJob(
  job: JobProcess,
  request: ProcessRequest,
  limits: JobLimits,
  signal: AbortSignal,
  listeners: JobListeners,
): Promise<ProcessResult> {
  const outcome = deferred<ProcessResult>();
  const timers: NodeJS.Timeout[] = [];

  const onAbort = (): void => {
    job.send({ type: 'abort' });
    timers.push(setTimeout(() => outcome.reject(new AbortError()), abortGraceMilliseconds));
  };
  const onMessage = (message: FromJob): void => {
    switch (message.type) {
      case 'progress':
        return notify(() => listeners.onFraction(message.fraction, message.stage));
      case 'warning':
        return notify(() => listeners.onWarning(message.warning));
      case 'partial':
        return notify(() => listeners.onPartial(message.part));
      case 'done':
        return signal.aborted ? outcome.reject(new AbortError()) : outcome.resolve(message.result);
      case 'failed':
        return outcome.reject(signal.aborted ? new AbortError() : failure(message));
      case 'aborted':
        return outcome.reject(
          signal.aborted
            ? new AbortError()
            : new EarshotError('internal_error', `${request.toolId} stopped although nobody aborted it`),
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
  const watchMemory = (): void => {
    const used = job.pid === undefined ? null : (residentBytes(job.pid) ?? job.reportedBytes());
    if (used !== null && used > limits.maxJobMemoryBytes)
      outcome.reject(memoryExceeded(limits.maxJobMemoryBytes, used));
  };

  job.child.on('message', onMessage);
  signal.addEventListener('abort', onAbort, { once: true });
  void job.exit.then((exit) =>
    outcome.reject(signal.aborted ? new AbortError() : crash(request.toolId, exit, job.stderrTail())),
  );
  timers.push(setInterval(watchMemory, memoryPollMilliseconds));
  const limitMilliseconds = Math.min(limits.maxJobSeconds * 1000, longestDelayMilliseconds);
  timers.push(setTimeout(() => outcome.reject(timeExceeded(limits.maxJobSeconds)), limitMilliseconds));
  job.send({ type: 'start', request });
  if (signal.aborted) onAbort();

  try {
    return await outcome.promise;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    job.child.off('message', onMessage);
    // Also after success: its files are written and closed, and leaving politely would stop threads that use node-av,
    // which aborts the process.
    job.kill();
    await job.exit;
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

function crash(toolId: string, { exitCode, signal, cause }: JobExit, stderrTail: string): EarshotError {
  if (cause)
    return new EarshotError('internal_error', `The job process of ${toolId} could not start: ${cause.message}`, {
      cause,
      details: { crashed: true },
    });
  const how = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
  return new EarshotError('internal_error', `The job process of ${toolId} ended unexpectedly (${how})`, {
    details: { crashed: true, signal, exitCode, stderrTail },
  });
}

function memoryExceeded(limitBytes: number, usedBytes: number): EarshotError {
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  return new EarshotError(
    'limit_exceeded',
    `Expected the job to use at most ${mebibytes(limitBytes)} of memory but it used ${mebibytes(usedBytes)}`,
    {
      details: { limit: 'maxJobMemoryBytes', expected: limitBytes, received: usedBytes },
    },
  );
}

function timeExceeded(limitSeconds: number): EarshotError {
  return new EarshotError(
    'limit_exceeded',
    `Expected the job to end within ${limitSeconds} s but it was still running`,
    {
      details: { limit: 'maxJobSeconds', expected: limitSeconds, received: limitSeconds },
    },
  );
}

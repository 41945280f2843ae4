import type { ErrorCode, Job } from './api-types.ts';

/** The parts of an error answer besides code and message. */
type Known = Pick<ApiError, 'status' | 'retryable' | 'nextAction' | 'details' | 'retryAfterSeconds' | 'requestId'>;

/** An error answer of the service. `code` is stable, the message is for people. */
export class ApiError extends Error {
  /** From the service's catalogue, or unexpected_answer for others, such as a proxy's. */
  readonly code: ErrorCode | 'unexpected_answer';
  /** HTTP status of the answer; null if the error comes from the record of a file or a job. */
  readonly status: number | null;
  /** May the same call succeed on retry? */
  readonly retryable: boolean;
  /** What to do, in one sentence; null: unknown. */
  readonly nextAction: string | null;
  /** Facts for programs, by name; null: none. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** Seconds after which the service asks to retry; null: it does not. */
  readonly retryAfterSeconds: number | null;
  /** For the operator to find in the log; null: there was no answer. */
  readonly requestId: string | null;

  constructor(code: ErrorCode | 'unexpected_answer', message: string, known: Partial<Known> = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = known.status ?? null;
    this.retryable = known.retryable ?? false;
    this.nextAction = known.nextAction ?? null;
    this.details = known.details ?? null;
    this.retryAfterSeconds = known.retryAfterSeconds ?? null;
    this.requestId = known.requestId ?? null;
  }
}

/** A job that failed or was cancelled. */
export class JobError extends ApiError {
  /** Its final record. */
  readonly job: Job;

  constructor(job: Job) {
    super(
      job.error?.code ?? 'conflict',
      job.error?.message ?? `Expected the job ${job.id} to succeed but it was ${job.status}`,
    );
    this.name = 'JobError';
    this.job = job;
  }
}

/** No connection, or a broken one, after all attempts. `cause` is the platform's error. */
export class ConnectionError extends Error {
  /** The same for all of them. */
  readonly code = 'connection';
  /** May the same call succeed on retry? */
  readonly retryable = true;

  constructor(message: string, options: { readonly cause: unknown }) {
    super(message, options);
    this.name = 'ConnectionError';
  }
}

import type { ErrorCode, Job } from './api-types.ts';

/** What an answer says besides code and message. */
type Known = Pick<ApiError, 'status' | 'retryable' | 'nextAction' | 'details' | 'retryAfterSeconds' | 'requestId'>;

/** The service said no. `code` is stable, the message is for people. */
export class ApiError extends Error {
  /** From the service's catalogue, or unexpected_answer for one that is none of its answers, such as a proxy's. */
  readonly code: ErrorCode | 'unexpected_answer';
  /** HTTP status of the answer; null where the failure came otherwise, in the record of a file or a job. */
  readonly status: number | null;
  /** May the same call succeed when it is simply tried again? */
  readonly retryable: boolean;
  /** What to do, in one sentence; null: nothing is known. */
  readonly nextAction: string | null;
  /** Facts for programs, by name; null: none. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** Seconds after which to try again, as the service asks; null: it does not. */
  readonly retryAfterSeconds: number | null;
  /** What the operator finds in the log; null: there was no answer. */
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

/** A job that failed or was cancelled; its record says the rest. */
export class JobError extends ApiError {
  /** As it ended. */
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

/** The service could not be reached, or the line broke, after all tries. `cause` is what fetch said. */
export class ConnectionError extends Error {
  constructor(message: string, options: { readonly cause: unknown }) {
    super(message, options);
    this.name = 'ConnectionError';
  }
}

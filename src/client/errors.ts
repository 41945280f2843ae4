import type { ErrorCode, Job } from './api-types.ts';
import type { Chain } from './chain-types.ts';

/** The parts of an error answer besides code and message. */
type Known = Pick<ApiError, 'status' | 'retryable' | 'nextAction' | 'details' | 'retryAfterSeconds' | 'requestId'>;

const unknown: Known = {
  status: null,
  retryable: false,
  nextAction: null,
  details: null,
  retryAfterSeconds: null,
  requestId: null,
};

/** An error answer of the service. `code` is stable, the message is for people. */
export class ApiError extends Error {
  /** From the service's catalogue, or unexpected_answer for others, such as a proxy's. */
  declare readonly code: ErrorCode | 'unexpected_answer';
  /** HTTP status of the answer; null if the error comes from the record of a file or a job. */
  declare readonly status: number | null;
  /** May the same call succeed on retry? */
  declare readonly retryable: boolean;
  /** What to do, in one sentence; null: unknown. */
  declare readonly nextAction: string | null;
  /** Facts for programs, by name; null: none. */
  declare readonly details: Readonly<Record<string, unknown>> | null;
  /** Seconds after which the service asks to retry; null: it does not. */
  declare readonly retryAfterSeconds: number | null;
  /** For the operator to find in the log; null: there was no answer. */
  declare readonly requestId: string | null;

  constructor(code: ErrorCode | 'unexpected_answer', message: string, known: Partial<Known> = {}) {
    super(message);
    Object.assign(this, { name: 'ApiError', code, ...unknown, ...known });
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

/** A chain that failed or was cancelled. */
export class ChainError extends ApiError {
  /** Its final record. */
  readonly chain: Chain;

  constructor(chain: Chain) {
    super(
      chain.error?.code ?? 'conflict',
      chain.error?.message ?? `Expected the chain ${chain.id} to succeed but it was ${chain.status}`,
    );
    this.name = 'ChainError';
    this.chain = chain;
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

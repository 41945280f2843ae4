import type { FinishedPart } from '../../../library/core/progress/finished-parts.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { Warning } from '../../../library/core/progress/progress.ts';
import type { FilesByField } from '../../../library/contract/tool-inputs.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { JobBilling, JobSummary, StoredJob } from './stored-job.ts';
import type { StoredError } from '../shared/stored-error.ts';
import type { FreeSubject, Funds, Terms } from '../accounts/free.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { NewFile } from '../files/file-store.ts';
import type { RunIdentity } from '../fleet/fleet.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import type { LostAttempt } from './attempt-ends.ts';

/** The store of jobs, from the order to the settlement. */

/** A requested job, before its terms are decided. */
export interface NewJob {
  /** Made by the service, unique. */
  readonly id: string;
  /** null without an account: a free use by address. */
  readonly accountId: string | null;
  readonly freeSubject: FreeSubject;
  readonly tool: ToolId;
  readonly inputs: FilesByField<string>;
  readonly options: JsonObject;
  /** null when the client sent no key. */
  readonly idempotency: Idempotency | null;
  readonly billing: JobBilling;
  /** Is it a preview of a passage, of which an account has a number? Default: false. */
  readonly isPreview?: boolean;
  /** Does `decide` need the day's free seconds? Default: false. */
  readonly budgeted?: boolean;
  /** Pure. Throws the error for the client (insufficient_balance, free_limit_reached, ...); then nothing changes. */
  decide(funds: Funds): Terms;
}

/** The results of a successful job. */
export interface JobSuccess {
  /** Ready files; they are created in the same transaction as the settlement. */
  readonly outputs: readonly NewFile[];
  readonly result: JsonObject;
  readonly warnings: readonly Warning[];
  readonly processedSeconds: number;
  /** Credits to charge, at most the reserved price; the rest is released. */
  readonly credits: number;
}

/** Facts that a worker needs before it starts a job. */
export interface JobTurn {
  /** No other job may run in the worker at the same time. */
  readonly alone: boolean;
  /** Number of starts so far, at least 0. */
  readonly attempt: number;
  /** The worker's death that this call recorded; null: none. */
  readonly death: WorkerDeath | null;
}

/** A worker has lost the job that it was running. The attempt does not count. */
export interface WorkerDeath {
  /** Id of that worker. */
  readonly workerId: string;
  readonly reason: LostAttempt;
  /** Were other jobs running there? */
  readonly shared: boolean;
}

/** Jobs. Each change is one transaction together with its ledger entries. */
export interface JobStore {
  /**
   * Idempotency, free use, reservation, ledger entry, job row and enqueueing in one transaction. `created` is false for
   * a repeated request.
   */
  create(job: NewJob): Promise<{ readonly job: StoredJob; readonly created: boolean }>;
  /**
   * The job that an earlier request with this key created; null when the key is new.
   * @throws EarshotError idempotency_key_reused
   */
  findByIdempotency(owner: string, idempotency: Idempotency): Promise<StoredJob | null>;
  /** The whole record with its result; null when it does not exist. */
  get(id: string): Promise<StoredJob | null>;
  /** The record without its long fields; null when it does not exist. */
  getSummary(id: string): Promise<JobSummary | null>;
  /**
   * Results of the account's dry runs, newest first, at most 20: those with this file as this input, and the one that
   * created the file.
   */
  dryRunResults(
    accountId: string,
    tool: ToolId,
    input: { readonly field: string; readonly fileId: string; readonly sourceJobId: string | null },
  ): Promise<readonly JsonObject[]>;
  /** The account's jobs without steps of chains, newest first. */
  list(accountId: string, filter: { readonly tool: ToolId | null }, page: PageRequest): Promise<Page<JobSummary>>;
  /**
   * Cancels a queued job and releases its credits at once; sets `cancelRequested` on a running one.
   * @throws EarshotError job_not_cancellable, not_found
   */
  requestCancel(id: string): Promise<StoredJob>;

  /**
   * Called before `start`: must the job run alone? A job of a lost worker goes back to the queue; the
   * attempt does not count. A job that was running beside others at two deaths must run alone from then on. null: the
   * job has ended.
   */
  turn(id: string, workerId: string): Promise<JobTurn | null>;
  /**
   * Starts the next attempt: status running, attempt + 1. Returns null when the job has ended meanwhile. When its
   * attempts are used up (see attempt-ends.ts) it fails the job, releases its credits, and returns null. A job with
   * cancelRequested is
   * cancelled instead.
   * @param after the last attempt that the caller knows of; if there was a later one, another worker has the job:
   *   nothing is done and null is returned. Default: any attempt
   * @param by what runs it. Default: this process
   */
  start(
    id: string,
    workerId: string,
    maxAttempts: number,
    after?: number,
    by?: Pick<RunIdentity, 'build' | 'models'>,
  ): Promise<StoredJob | null>;
  /**
   * Settlements are guarded by `attempt`: a stale or repeated one returns false and changes nothing. Success charges
   * the credits; failure and cancellation release them and return the free use.
   */
  succeed(id: string, attempt: number, success: JobSuccess): Promise<boolean>;
  /** Fails the job with the error that clients see. */
  fail(id: string, attempt: number, error: StoredError): Promise<boolean>;
  /** Cancels the job. */
  cancel(id: string, attempt: number): Promise<boolean>;
  /**
   * Puts the job back into the queue; the attempt does not count. Used at shutdown.
   * @param parts what its next attempt need not repeat; default: nothing more than before
   */
  requeue(id: string, attempt: number, parts?: readonly FinishedPart[]): Promise<boolean>;
  /** Its process crashed, and its worker says so: the attempt counts, whichever worker takes the job next. */
  crashed(id: string, attempt: number): Promise<boolean>;
  /**
   * Puts a job back that its machine could not run; the attempt does not count.
   * @param error what the job fails with if machines had no room for it for a quarter of an hour; null: it may wait
   * @param pauseSeconds before it starts again
   */
  passOn(id: string, attempt: number, error: StoredError | null, pauseSeconds: number): Promise<boolean>;
  /** What earlier attempts of a job have finished, in no order; empty for a job that was never handed back. */
  finishedParts(id: string): Promise<readonly FinishedPart[]>;
  /** Queued jobs by tool, for metrics and for those who start machines; jobs of older versions count as a minute. */
  queued(): Promise<Readonly<Partial<Record<ToolId, QueuedWork>>>>;
  /** Counts by status, for metrics. */
  counts(): Promise<Readonly<Record<StoredJob['status'], number>>>;
  /** Running and waiting jobs, and jobs that ended since then. */
  activity(since: Date): Promise<JobActivity>;
}

/** Jobs that wait. */
export interface QueuedWork {
  /** Number of them, at least 1. */
  readonly jobs: number;
  /** Billed seconds of sound, all jobs together. */
  readonly seconds: number;
  /** Seconds since the oldest of them was ordered. */
  readonly oldestSeconds: number;
}

/** The jobs of all accounts, for the operator. */
export interface JobActivity {
  /** Number of running jobs, at least 0. */
  readonly running: number;
  /** Number of waiting jobs, at least 0. */
  readonly queued: number;
  /** Number of accounts and visitors with running or waiting jobs, at least 0. */
  readonly owners: number;
  /** When the oldest waiting job was ordered; null: none waits. */
  readonly oldestQueuedAt: Date | null;
  /** Number of jobs that ended, failed ones included, at least 0. */
  readonly ended: number;
  /** Number of jobs that failed, at least 0. */
  readonly failed: number;
  /** Codes of the failures, the most frequent first. */
  readonly failures: readonly string[];
  /** Seconds of sound that were processed. */
  readonly processedSeconds: number;
  /** Running ones first, then in the order of the queue; at most 50. */
  readonly open: readonly {
    /** Public id, "job_...". */
    readonly id: string;
    readonly tool: ToolId;
    readonly status: StoredJob['status'];
    /** Current stage, such as "encoding". */
    readonly stage: string;
    /** Progress of the current attempt, 0 to 1. */
    readonly progress: number;
    /** Billed length; null: not known. */
    readonly seconds: number | null;
  }[];
}

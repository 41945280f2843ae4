import type { Readable } from 'node:stream';
import type { JsonObject } from '../../library/core/json.ts';
import type { Warning } from '../../library/core/progress.ts';
import type { FilesByField } from '../../library/contract/tool-inputs.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import type {
  Account,
  ApiKey,
  AutoRefill,
  FileKind,
  FileStatus,
  JobBilling,
  JobSummary,
  LedgerEntry,
  StoredError,
  StoredFile,
  StoredJob,
} from './records.ts';
import type { NewSession, Session } from './sign-in-store.ts';
import type { AccountUsage } from './quotas.ts';
import type { PartReceipt } from './object-store.ts';
import type { Page, PageRequest } from './page.ts';

export type * from './object-store.ts';
export type * from './free-run-store.ts';
export type * from './pending-order.ts';
export type * from './legacy-job-store.ts';
export type * from './payment-store.ts';
export type * from './sign-in-store.ts';
export type * from './fleet.ts';
export type * from './page.ts';

/**
 * The ports of the business rules, implemented in src/service/adapters. Every method that changes something is one
 * transaction; no port hands out a transaction.
 */

/** An idempotent request: the same key with the same request returns the result of the first one. */
export interface Idempotency {
  /** The client's own, from the Idempotency-Key header. */
  readonly key: string;
  /**
   * SHA-256, hex, of the canonical request.
   * @throws (from the store) EarshotError idempotency_key_reused when it differs
   */
  readonly requestHash: string;
}

/** Accounts, their API keys and their sessions. Secrets are kept as hashes only. */
export interface AccountStore {
  /**
   * A new account without credits.
   * @throws EarshotError conflict when the OAuth subject has an account
   */
  create(account: {
    readonly id: string;
    readonly name: string;
    readonly oauthSubject: string | null;
  }): Promise<Account>;
  /** null when there is no such account. */
  get(id: string): Promise<Account | null>;
  /** null when no account has this subject. */
  findByOauthSubject(subject: string): Promise<Account | null>;
  /** All accounts, newest first. */
  list(page: PageRequest): Promise<Page<Account>>;
  /** Answers null when there is no such account. */
  update(
    id: string,
    patch: {
      readonly name?: string;
      readonly oauthSubject?: string | null;
      readonly autoRefill?: AutoRefill;
      readonly operator?: boolean;
    },
  ): Promise<Account | null>;

  /** `hash` is the SHA-256 of the key, `prefix` its visible part. */
  addKey(key: {
    readonly id: string;
    readonly accountId: string;
    readonly name: string;
    readonly prefix: string;
    readonly hash: string;
  }): Promise<ApiKey>;
  /** Adds the account's first key; null: it has, or had, a key. @throws EarshotError not_found */
  addFirstKey(key: Parameters<AccountStore['addKey']>[0]): Promise<ApiKey | null>;
  /** Also answers revoked keys: the caller decides. */
  findKey(hash: string): Promise<{ readonly key: ApiKey; readonly account: Account } | null>;
  /** Stores the time of use; called at most once a minute per key. */
  touchKey(id: string, at: Date): Promise<void>;
  /** Including revoked keys, oldest first. */
  listKeys(accountId: string): Promise<readonly ApiKey[]>;
  /** By id or by prefix. Answers null when there is none. */
  revokeKey(idOrPrefix: string, at: Date): Promise<ApiKey | null>;

  /** @throws EarshotError not_found when there is no such account */
  addSession(session: NewSession): Promise<Session>;
  /** null: unknown or expired. */
  findSession(hash: string, at: Date): Promise<{ readonly session: Session; readonly account: Account } | null>;
  /** Notes a use, and postpones the end of a session that ends without use. */
  touchSession(id: string, at: Date): Promise<void>;
  /** Those that have not ended, latest use first. */
  listSessions(accountId: string, at: Date): Promise<readonly Session[]>;
  /** False: the account has no such session. */
  endSession(accountId: string, id: string): Promise<boolean>;
  /** Ends all but this one; returns their number. */
  endOtherSessions(accountId: string, keptId: string): Promise<number>;
  /** Signs the account out everywhere; returns the number of sessions. */
  removeSessions(accountId: string): Promise<number>;
}

/** The ledger of credits. Entries are added and never changed. */
export interface Ledger {
  /**
   * Posts an entry without a job.
   * @throws EarshotError insufficient_balance when the balance would fall below the reserved credits; not_found
   */
  post(entry: {
    readonly accountId: string;
    readonly kind: 'grant' | 'purchase' | 'adjustment';
    readonly credits: number;
    readonly note: string | null;
  }): Promise<LedgerEntry>;
  /** Newest first. `onlyCredits`: without reserve and release, which do not change the balance. */
  list(accountId: string, page: PageRequest, onlyCredits: boolean): Promise<Page<LedgerEntry>>;
}

/** The owner of a free allowance: an account, or a visitor's address (its keyed hash). */
export interface FreeSubject {
  /** The account's id, or the keyed hash of the address. */
  readonly id: string;
  /** UTC day, "2026-11-21". */
  readonly day: string;
}

/** Free uses that were taken. */
export interface FreeUses {
  /** Uses taken today, by tool. */
  taken(subject: FreeSubject): Promise<Readonly<Partial<Record<ToolId, number>>>>;
}

/** The balances that the terms of a job depend on, read under the account's lock. */
export interface Funds {
  /** balance - reserved; 0 without an account. */
  readonly availableCredits: number;
  /** Free uses of the tool that the subject has taken today. */
  readonly freeUsesTaken: number;
  /** Seconds of all free runs of today. */
  readonly freeSecondsTaken: number;
  /** Of the account; absent without one. */
  readonly usage?: AccountUsage;
}

/** The terms of a new job: decided by the rules, carried out by the store in the same transaction. */
export interface Terms {
  /** Is it a free use? */
  readonly free: boolean;
  /** Only this much of the inputs is processed, from the start; null: all of it. */
  readonly windowSeconds: number | null;
  /** Credits to reserve; 0 when free. */
  readonly price: number;
  /** Seconds that a free run takes of the day's budget. Default: 0. */
  readonly freeSeconds?: number;
}

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
  /** Is there a budget of free seconds that `decide` looks at? Default: false. */
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

/** The death of a worker that was running the job. */
export interface WorkerDeath {
  /** Id of the dead worker. */
  readonly workerId: string;
  /** Were other jobs running there? Then the attempt does not count. */
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
  /** The account's jobs, newest first. */
  list(accountId: string, filter: { readonly tool: ToolId | null }, page: PageRequest): Promise<Page<JobSummary>>;
  /**
   * Cancels a queued job and releases its credits at once; sets `cancelRequested` on a running one.
   * @throws EarshotError job_not_cancellable, not_found
   */
  requestCancel(id: string): Promise<StoredJob>;

  /**
   * Called before `start`: must the job run alone? A job of a dead worker goes back to the queue, and the death is
   * recorded once. The attempt counts only if no other job was running in that worker; a job that was running beside
   * others at two deaths must run alone from then on. null: the job has ended.
   */
  turn(id: string, workerId: string): Promise<JobTurn | null>;
  /**
   * Starts the next attempt: status running, attempt + 1. Returns null when the job has ended meanwhile. After
   * `maxAttempts` attempts it fails the job, releases its credits, and returns null. A job with cancelRequested is
   * cancelled instead.
   * @param after the last attempt that the caller knows of; if there was a later one, another worker has the job:
   *   nothing is done and null is returned. Default: any attempt
   */
  start(id: string, workerId: string, maxAttempts: number, after?: number): Promise<StoredJob | null>;
  /**
   * Settlements are guarded by `attempt`: a stale or repeated one returns false and changes nothing. Success charges
   * the credits; failure and cancellation release them and return the free use.
   */
  succeed(id: string, attempt: number, success: JobSuccess): Promise<boolean>;
  /** Fails the job with the error that clients see. */
  fail(id: string, attempt: number, error: StoredError): Promise<boolean>;
  /** Cancels the job. */
  cancel(id: string, attempt: number): Promise<boolean>;
  /** Puts the job back into the queue; the attempt does not count. Used at shutdown. */
  requeue(id: string, attempt: number): Promise<boolean>;
  /** Billed seconds of queued jobs by tool, for metrics; jobs of older versions count as a minute. */
  queuedSeconds(): Promise<Readonly<Partial<Record<ToolId, number>>>>;
  /** Counts by status, for metrics. */
  counts(): Promise<Readonly<Record<StoredJob['status'], number>>>;
  /** What runs and waits now, and what ended since then. */
  activity(since: Date): Promise<JobActivity>;
}

/** The jobs of all accounts, for the operator. */
export interface JobActivity {
  /** Number of running jobs, at least 0. */
  readonly running: number;
  /** Number of waiting jobs, at least 0. */
  readonly queued: number;
  /** Number of accounts and visitors whose jobs run or wait, at least 0. */
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
    /** What it is doing now, such as "encoding". */
    readonly stage: string;
    /** Progress of the current attempt, 0 to 1. */
    readonly progress: number;
    /** Billed length; null: not known. */
    readonly seconds: number | null;
  }[];
}

/** Files that are kept. */
export interface KeptBytes {
  /** Number of files, at least 0. */
  readonly files: number;
  /** Their size together, at least 0 bytes. */
  readonly bytes: number;
}

/** Bytes of all files that are kept. */
export interface StorageTotals {
  readonly originals: KeptBytes;
  readonly outputs: KeptBytes;
  /** Of those: bytes that expire within the next hour. */
  readonly expiringBytes: number;
}

/** A file at its creation, without the fields that are set later. */
export type NewFile = Omit<StoredFile, 'error' | 'uploadId' | 'peaksStatus' | 'peaks' | 'peaksKey'>;

/** The fields of a file's record that may change after its creation. */
export type FilePatch = Partial<Omit<StoredFile, 'id' | 'accountId' | 'visitor' | 'kind' | 'uploadId' | 'createdAt'>>;

/** Queued work on files. */
export type FileTask = 'check' | 'peaks' | 'import';
/**
 * All queued work, by the id of its file or job. 'order': the file of an older-API job has arrived or failed;
 * 'deliver': send its result to the given URL; 'accept': look at what a runner has handed over for a job, and settle
 * it.
 */
export type TaskKind = FileTask | 'job' | 'order' | 'deliver' | 'accept';

/** Records of files; their bytes are in the ObjectStore. */
export interface FileStore {
  /**
   * `created` is false for a repeated request, which returns the first one's file.
   * @param admit called with the account's usage for a new file of an account; may throw to refuse the file. Calls for
   *   one account are serialized. Default: every file is admitted
   * @throws EarshotError idempotency_key_reused
   */
  create(
    file: NewFile,
    idempotency: Idempotency | null,
    admit?: (usage: AccountUsage) => void,
  ): Promise<{ readonly file: StoredFile; readonly created: boolean }>;
  /** The record in any status; null when it does not exist. */
  get(id: string): Promise<StoredFile | null>;
  /** In the order of the ids; null where one does not exist. */
  getMany(ids: readonly string[]): Promise<readonly (StoredFile | null)[]>;
  /** Newest first, without deleted ones. */
  list(accountId: string, filter: { readonly kind: FileKind | null }, page: PageRequest): Promise<Page<StoredFile>>;
  /**
   * Changes the file only while its status is one of `from`; enqueues `task` in the same transaction. Returns null when
   * the status was another one.
   * @param admit called with the account's usage after the change; may throw to refuse it. Calls for one account are
   *   serialized. Default: every change is admitted
   */
  update(
    id: string,
    from: readonly FileStatus[],
    patch: FilePatch,
    task?: FileTask,
    admit?: (usage: AccountUsage) => void,
  ): Promise<StoredFile | null>;
  /** Sets peaksStatus from null to processing and enqueues the task; returns the current file. Idempotent. */
  requestPeaks(id: string): Promise<StoredFile | null>;
  /** A recent import of the same link by the same account that is neither invalid nor deleted. */
  findImport(accountId: string, importHash: string, since: Date): Promise<StoredFile | null>;

  /**
   * Stores the object store's id of the multipart upload unless one is stored already; returns the stored one. null:
   * the file does not await an upload (any more).
   */
  beginUpload(fileId: string, uploadId: string): Promise<string | null>;
  /** Drops the id and the receipts of an upload that the object store lost, unless a new upload has begun. */
  forgetUpload(fileId: string, uploadId: string): Promise<void>;
  /** Drops the receipt of a part that is being written (again). */
  beginPart(fileId: string, number: number): Promise<void>;
  /** @throws EarshotError not_found when there is no such file */
  endPart(fileId: string, receipt: PartReceipt): Promise<void>;
  /** The receipts of all parts that have arrived, by number. */
  listParts(fileId: string): Promise<readonly PartReceipt[]>;

  /** Expired files that are not marked as deleted yet, oldest first. */
  expired(at: Date, limit: number): Promise<readonly StoredFile[]>;
  /** Ids of all records that expired before that time, including deleted files, oldest first. */
  expiredBefore(at: Date, limit: number): Promise<readonly string[]>;
  /** Deletes the records. */
  remove(ids: readonly string[]): Promise<void>;
  /** The keys among these that a record uses, as bytes or as peaks. For sweeping leftovers. */
  usedKeys(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Number and bytes of all files kept, for metrics. */
  totals(): Promise<{ readonly files: number; readonly bytes: number }>;
  /** The same by kind. */
  storage(at: Date): Promise<StorageTotals>;
}

/** Small values shared by all processes. */
export interface Settings {
  /** The value of the name; created once by `make`, also under concurrent calls. */
  getOrCreate(name: string, make: () => string): Promise<string>;
}

/**
 * Notifications of changed records, across processes. One may get lost: waiters also check again after a second.
 */
export interface Changes {
  /**
   * Resolves at the next change of the file or job, after `timeoutMs`, or when the signal is aborted. Never rejects.
   */
  next(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void>;
}

/** Handles one queued task, by the id of its job or file. */
export interface QueueHandler {
  /** The signal is aborted when the worker shuts down. After a rejection the queue delivers the task again later. */
  (id: string, signal: AbortSignal): Promise<void>;
}

/** Limits on the tasks that run at the same time in the whole fleet. */
export interface TaskLimits {
  /** Most running tasks of the kind for one account or visitor; null: no limit. */
  readonly perOwner: number | null;
}

/** The queue of tasks for workers. Stores enqueue them in their own transactions. */
export interface WorkQueue {
  /** Handles up to `slots` tasks at a time. Starts within milliseconds of the enqueueing transaction's commit. */
  work(kind: TaskKind, slots: number, handler: QueueHandler, limits?: TaskLimits): Promise<void>;
  /** Takes no more tasks, aborts the handlers' signals after `graceMs`, and resolves when they are done. */
  stop(graceMs: number): Promise<void>;
  /** Number of running tasks in this process. */
  busy(): number;
  /** Queued tasks by kind, for metrics. */
  depth(): Promise<Readonly<Record<TaskKind, number>>>;
}

/** The response of a link, with its unread body. */
export interface FetchedLink {
  readonly body: Readable;
  /** From Content-Disposition or the final URL; null when neither has a filename. */
  readonly filename: string | null;
  /** From Content-Type; null when absent. */
  readonly contentType: string | null;
  /** From Content-Length; null when absent. */
  readonly sizeBytes: number | null;
}

/** Fetches public HTTPS links. */
export interface LinkFetcher {
  /**
   * Parses and validates the URL, without network access.
   * @param field name of the request's field, for messages. Default: url
   * @throws EarshotError bad_request
   */
  check(url: string, field?: string): URL;
  /** @throws EarshotError fetch_failed, file_too_large; AbortError */
  fetch(url: URL, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<FetchedLink>;
}

/** A body to send to a link. */
export interface SentBytes {
  /** MIME type, for the header. */
  readonly contentType: string;
  readonly sizeBytes: number;
  /** The bytes from their start; called again after a redirect. */
  read(): Promise<Readable>;
}

/** Sends bytes to public HTTPS links, by the same rules as fetching. */
export interface LinkSender {
  /** As LinkFetcher's. @throws EarshotError bad_request */
  check(url: string, field?: string): URL;
  /** One PUT; resolves on a 2xx status. @throws EarshotError fetch_failed, retryable or not; AbortError */
  put(url: URL, bytes: SentBytes, signal: AbortSignal): Promise<void>;
}

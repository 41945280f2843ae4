import type { Readable } from 'node:stream';
import type { JsonObject } from '../../library/core/json.ts';
import type { Progress, Warning } from '../../library/core/progress.ts';
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
import type { AccountUsage } from './quotas.ts';
import type { PartReceipt } from './object-store.ts';
import type { Page, PageRequest } from './page.ts';

export type * from './object-store.ts';
export type * from './free-run-store.ts';
export type * from './legacy-job-store.ts';
export type * from './payment-store.ts';
export type * from './page.ts';

/**
 * What the business rules need from the outside world. src/service/adapters holds the implementations, test/conformance one
 * suite per port. Every method that changes something is one transaction; nothing here hands out a transaction.
 */

/** A request that may be repeated: the same key with the same request answers what the first one made. */
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
  /** null when nobody has signed in with it yet. */
  findByOauthSubject(subject: string): Promise<Account | null>;
  /** All accounts, newest first. */
  list(page: PageRequest): Promise<Page<Account>>;
  /** Answers null when there is no such account. */
  update(
    id: string,
    patch: { readonly name?: string; readonly oauthSubject?: string | null; readonly autoRefill?: AutoRefill },
  ): Promise<Account | null>;

  /** `hash` is the SHA-256 of the key, `prefix` what people may see of it. */
  addKey(key: {
    readonly id: string;
    readonly accountId: string;
    readonly name: string;
    readonly prefix: string;
    readonly hash: string;
  }): Promise<ApiKey>;
  /** The same, but only as the account's first, revoked ones counted; null: it has one. @throws EarshotError not_found */
  addFirstKey(key: Parameters<AccountStore['addKey']>[0]): Promise<ApiKey | null>;
  /** Also answers revoked keys: the caller decides. */
  findKey(hash: string): Promise<{ readonly key: ApiKey; readonly account: Account } | null>;
  /** Remembers the use; at most one write a minute and key. */
  touchKey(id: string, at: Date): Promise<void>;
  /** With revoked ones, oldest first. */
  listKeys(accountId: string): Promise<readonly ApiKey[]>;
  /** By id or by prefix. Answers null when there is none. */
  revokeKey(idOrPrefix: string, at: Date): Promise<ApiKey | null>;

  /** `hash` is the SHA-256 of the session's secret. */
  addSession(session: { readonly hash: string; readonly accountId: string; readonly expiresAt: Date }): Promise<void>;
  /** null for one that is unknown or over at `at`. */
  findSession(hash: string, at: Date): Promise<Account | null>;
  /** Signs the account out everywhere; answers how many sessions there were. */
  removeSessions(accountId: string): Promise<number>;
}

/** What credits an account got and spent. Entries are added and never changed. */
export interface Ledger {
  /**
   * Moves money that no job moves.
   * @throws EarshotError insufficient_balance when the balance would fall under what is reserved; not_found
   */
  post(entry: {
    readonly accountId: string;
    readonly kind: 'grant' | 'purchase' | 'adjustment';
    readonly credits: number;
    readonly note: string | null;
  }): Promise<LedgerEntry>;
  /** Newest first. `onlyCredits`: leaves out reserve and release, which move no credits. */
  list(accountId: string, page: PageRequest, onlyCredits: boolean): Promise<Page<LedgerEntry>>;
}

/** Who uses up a free allowance: an account, or an address (its keyed hash) without one. */
export interface FreeSubject {
  /** The account's id, or the keyed hash of the address. */
  readonly id: string;
  /** UTC day, "2026-11-21". */
  readonly day: string;
}

/** Who has used how much of a free allowance. */
export interface FreeUses {
  /** Uses taken today, by tool. */
  taken(subject: FreeSubject): Promise<Readonly<Partial<Record<ToolId, number>>>>;
}

/** What the decision about money is made from, read under the account's lock. */
export interface Funds {
  /** balance - reserved; 0 without an account. */
  readonly availableCredits: number;
  /** How many of the tool's free uses the subject has had today. */
  readonly freeUsesTaken: number;
  /** Free seconds of everybody's runs today. */
  readonly freeSecondsTaken: number;
  /** Of the account; absent without one. */
  readonly usage?: AccountUsage;
}

/** What is taken when a job is created. Made by service rules, carried out by the store in the same transaction. */
export interface Terms {
  /** Is it one of the free uses, which cost nothing? */
  readonly free: boolean;
  /** How much of the inputs is processed, from the start; null: all of it. */
  readonly windowSeconds: number | null;
  /** Credits to reserve; 0 when free. */
  readonly price: number;
  /** Seconds that a free run takes of the day's budget. Default: 0. */
  readonly freeSeconds?: number;
}

/** A job as a client asked for it, before its terms are decided. */
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
  /** Pure. Throws what the client gets (insufficient_balance, free_limit_reached, ...); then nothing is changed. */
  decide(funds: Funds): Terms;
}

/** What a job that went well leaves behind. */
export interface JobSuccess {
  /** Ready files; they are created in the same transaction as the settlement. */
  readonly outputs: readonly NewFile[];
  readonly result: JsonObject;
  readonly warnings: readonly Warning[];
  readonly processedSeconds: number;
  /** What is charged, at most the price that was held; the rest is free again. */
  readonly credits: number;
}

/** How a job may be started. */
export interface JobTurn {
  /** Nothing else may run in its worker at the same time. */
  readonly alone: boolean;
  /** How often it has been started, at least 0. */
  readonly attempt: number;
  /** The death that was written down by this call; null: there was none. */
  readonly death: WorkerDeath | null;
}

/** A worker died in which the job was running. */
export interface WorkerDeath {
  /** Of the dead worker. */
  readonly workerId: string;
  /** Did other jobs run there, too? Then the job's attempt is not spent. */
  readonly shared: boolean;
}

/** Jobs with everything that money depends on: each change is one transaction with its ledger entries. */
export interface JobStore {
  /**
   * Idempotency, free use, reserve, ledger entry, job row and enqueueing, all or nothing. `created` is false for a
   * repeated request.
   */
  create(job: NewJob): Promise<{ readonly job: StoredJob; readonly created: boolean }>;
  /**
   * The job that a repeated request made, before anything else is checked; null when the key is new.
   * @throws EarshotError idempotency_key_reused
   */
  findByIdempotency(owner: string, idempotency: Idempotency): Promise<StoredJob | null>;
  /** The whole record with its result; null when there is none. */
  get(id: string): Promise<StoredJob | null>;
  /** The record without what may be long; null when there is none. */
  getSummary(id: string): Promise<JobSummary | null>;
  /**
   * What dry runs of the account answered, newest first, at most 20: those that had this file as this input, and the one
   * that made it.
   */
  dryRunResults(
    accountId: string,
    tool: ToolId,
    input: { readonly field: string; readonly fileId: string; readonly sourceJobId: string | null },
  ): Promise<readonly JsonObject[]>;
  /** The account's jobs, newest first. */
  list(accountId: string, filter: { readonly tool: ToolId | null }, page: PageRequest): Promise<Page<JobSummary>>;
  /**
   * A queued job is cancelled and its reserve released at once; a running one gets `cancelRequested`.
   * @throws EarshotError job_not_cancellable, not_found
   */
  requestCancel(id: string): Promise<StoredJob>;

  /**
   * What is to be known before `start`: does the job have to run alone? A job that another worker had at its death goes
   * back to the queue and its death is written down, once. It spends the attempt only where no other job ran in that
   * worker; one that was seen at two deaths beside others has to run alone from then on. null: the job has ended.
   */
  turn(id: string, workerId: string): Promise<JobTurn | null>;
  /**
   * Takes the job for one more attempt: status running, attempt + 1. Answers null when it has ended meanwhile. After
   * `maxAttempts` attempts it is failed instead, its reserve released, and null answered. A job with cancelRequested is
   * cancelled instead.
   * @param after the attempt that was its last one when the caller looked; after another one, nothing is done and null
   *   answered: somebody else has the job. Default: whatever it was
   */
  start(id: string, workerId: string, maxAttempts: number, after?: number): Promise<StoredJob | null>;
  /**
   * false: another attempt owns the job or it has ended; stop working on it. Says so too when cancelling was asked for.
   */
  report(
    id: string,
    attempt: number,
    progress: Progress,
  ): Promise<{ readonly current: boolean; readonly cancelRequested: boolean }>;
  /** Which of these are to be cancelled. */
  cancelRequested(ids: readonly string[]): Promise<readonly string[]>;
  /**
   * Settlements: guarded by `attempt`; a stale or repeated one answers false and changes nothing. Success charges, the
   * others release and give a free use back.
   */
  succeed(id: string, attempt: number, success: JobSuccess): Promise<boolean>;
  /** Ends the attempt with the error that the client is shown. */
  fail(id: string, attempt: number, error: StoredError): Promise<boolean>;
  /** Ends the attempt because cancelling was asked for. */
  cancel(id: string, attempt: number): Promise<boolean>;
  /** Back to the queue without using up the attempt: the worker shuts down. */
  requeue(id: string, attempt: number): Promise<boolean>;
  /** Counts by status, for metrics. */
  counts(): Promise<Readonly<Record<StoredJob['status'], number>>>;
}

/** A file at its creation: what is found out about it later is not there yet. */
export type NewFile = Omit<StoredFile, 'error' | 'uploadId' | 'peaksStatus' | 'peaks' | 'peaksKey'>;

/** What may change in a file's record after its creation. */
export type FilePatch = Partial<Omit<StoredFile, 'id' | 'accountId' | 'visitor' | 'kind' | 'uploadId' | 'createdAt'>>;

/** Work on files that waits in the queue. */
export type FileTask = 'check' | 'peaks' | 'import';
/**
 * All work that waits in the queue, named by the id of its file or job. 'order': a file that a job of the older API waits
 * for is here or will not come; 'deliver': its result is to be sent to an address.
 */
export type TaskKind = FileTask | 'job' | 'order' | 'deliver';

/** Records of files; their bytes lie in the ObjectStore. */
export interface FileStore {
  /**
   * `created` is false for a repeated request, which answers the file that the first one made.
   * @param admit called with what the account has, where it has one and the file is new; what it throws is thrown, and
   *   two files of an account are never judged at the same time. Default: every file is admitted
   * @throws EarshotError idempotency_key_reused
   */
  create(
    file: NewFile,
    idempotency: Idempotency | null,
    admit?: (usage: AccountUsage) => void,
  ): Promise<{ readonly file: StoredFile; readonly created: boolean }>;
  /** The record, whatever its status; null when there is none. */
  get(id: string): Promise<StoredFile | null>;
  /** In the order of the ids; null where there is none. */
  getMany(ids: readonly string[]): Promise<readonly (StoredFile | null)[]>;
  /** Newest first, without deleted ones. */
  list(accountId: string, filter: { readonly kind: FileKind | null }, page: PageRequest): Promise<Page<StoredFile>>;
  /**
   * Changes the file only while its status is one of `from`; with `task`, enqueues that in the same transaction.
   * Answers null when it was not.
   * @param admit called with what the account then has, where the file has one; what it throws is thrown, and nothing is
   *   changed. Two files of an account are never judged at the same time. Default: every change is admitted
   */
  update(
    id: string,
    from: readonly FileStatus[],
    patch: FilePatch,
    task?: FileTask,
    admit?: (usage: AccountUsage) => void,
  ): Promise<StoredFile | null>;
  /** peaksStatus null -> processing with the task enqueued; answers the file as it then is, whoever was first. */
  requestPeaks(id: string): Promise<StoredFile | null>;
  /** A fresh import of the same link by the same account, not invalid and not deleted. */
  findImport(accountId: string, importHash: string, since: Date): Promise<StoredFile | null>;

  /**
   * Keeps the object store's id of the file's upload in parts, unless it has one already: answers the one that counts
   * from now on. null: the file does not wait for bytes (any more).
   */
  beginUpload(fileId: string, uploadId: string): Promise<string | null>;
  /** The object store has lost that upload: its id and all receipts go, unless another one has taken its place. */
  forgetUpload(fileId: string, uploadId: string): Promise<void>;
  /** Forgets that the part has arrived: it is being written (again). */
  beginPart(fileId: string, number: number): Promise<void>;
  /** @throws EarshotError not_found when there is no such file */
  endPart(fileId: string, receipt: PartReceipt): Promise<void>;
  /** The parts that have arrived, in order of their numbers. */
  listParts(fileId: string): Promise<readonly PartReceipt[]>;

  /** Files past their expiry that are not marked as deleted yet, oldest first. */
  expired(at: Date, limit: number): Promise<readonly StoredFile[]>;
  /** Ids of all records that expired before that time, deleted files among them, oldest first. */
  expiredBefore(at: Date, limit: number): Promise<readonly string[]>;
  /** Drops the records for good. */
  remove(ids: readonly string[]): Promise<void>;
  /** Is the object used by any record (as bytes or as peaks)? For sweeping leftovers. Answers the keys that are. */
  usedKeys(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Bytes of uploads and outputs kept, and files by status, for metrics. */
  totals(): Promise<{ readonly files: number; readonly bytes: number }>;
}

/** Small values that all processes share. */
export interface Settings {
  /** The value under the name; made once by `make` when there is none, whoever comes first. */
  getOrCreate(name: string, make: () => string): Promise<string>;
}

/**
 * Hints that a record changed, across processes. A hint may get lost: waiters look again by themselves after a second.
 */
export interface Changes {
  /**
   * Resolves at the next change of the file or job, after `timeoutMs`, or when the signal fires, whichever comes first.
   * Never rejects.
   */
  next(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void>;
}

/** Does one task of the queue, named by the id of its job or file. */
export interface QueueHandler {
  /** The signal fires when the worker shuts down. A rejection makes the queue deliver again later. */
  (id: string, signal: AbortSignal): Promise<void>;
}

/** Tasks that wait for a worker. They are enqueued by the stores, inside the transaction that asks for them. */
export interface WorkQueue {
  /** Takes up to `slots` tasks at a time. Starts within milliseconds of the enqueueing transaction's commit. */
  work(kind: TaskKind, slots: number, handler: QueueHandler): Promise<void>;
  /** Stops taking, fires the handlers' signals after `graceMs`, and resolves when they are done. */
  stop(graceMs: number): Promise<void>;
  /** Waiting tasks by kind, for metrics. */
  depth(): Promise<Readonly<Record<TaskKind, number>>>;
}

/** A link's answer whose body is still to be read. */
export interface FetchedLink {
  readonly body: Readable;
  /** From Content-Disposition or the last address; null when neither names a file. */
  readonly filename: string | null;
  /** As the server says; null when it says nothing. */
  readonly contentType: string | null;
  /** From Content-Length; null when the server does not say. */
  readonly sizeBytes: number | null;
}

/** Public HTTPS links only. */
export interface LinkFetcher {
  /**
   * Parses and judges the address alone, without any network.
   * @param field that it came in, for messages. Default: url
   * @throws EarshotError bad_request
   */
  check(url: string, field?: string): URL;
  /** @throws EarshotError fetch_failed, file_too_large; AbortError */
  fetch(url: URL, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<FetchedLink>;
}

/** What is sent to a link. */
export interface SentBytes {
  /** MIME type, as the header says it. */
  readonly contentType: string;
  readonly sizeBytes: number;
  /** The bytes from their start; asked for again behind a redirect. */
  read(): Promise<Readable>;
}

/** Puts bytes at public HTTPS links, by the same rules as they are fetched. */
export interface LinkSender {
  /** Parses and judges the address as LinkFetcher's does. @throws EarshotError bad_request */
  check(url: string, field?: string): URL;
  /** One PUT, answered with a status of 2xx. @throws EarshotError fetch_failed, retryable or not; AbortError */
  put(url: URL, bytes: SentBytes, signal: AbortSignal): Promise<void>;
}

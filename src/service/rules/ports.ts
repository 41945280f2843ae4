import type { Readable } from 'node:stream';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import type { Account, ApiKey, AutoRefill, LedgerEntry } from './records.ts';
import type { NewSession, Session } from './sign-in-store.ts';
import type { Page, PageRequest } from './page.ts';
import type { FileTask } from './file-store.ts';
import type { ClaimingWorker } from './fleet.ts';
import type { FreeSubject } from './job-store.ts';

export type * from './object-store.ts';
export type * from './job-store.ts';
export type * from './file-store.ts';
export type * from './free-run-store.ts';
export type * from './pending-order.ts';
export type * from './legacy-job-store.ts';
export type * from './payment-store.ts';
export type * from './sign-in-store.ts';
export type * from './fleet.ts';
export type * from './idempotency.ts';
export type * from './page.ts';

/**
 * The ports of the business rules, implemented in src/service/adapters. Every method that changes something is one
 * transaction; no port hands out a transaction.
 */

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
  /** Records a use, and postpones the end of a session that expires without use. */
  touchSession(id: string, at: Date): Promise<void>;
  /** Active sessions, latest use first. */
  listSessions(accountId: string, at: Date): Promise<readonly Session[]>;
  /** false when the account has no such session. */
  endSession(accountId: string, id: string): Promise<boolean>;
  /** Ends all but this one, and takes back what programs may do for the account; returns the number of sessions. */
  endOtherSessions(accountId: string, keptId: string): Promise<number>;
  /** The same with every session. */
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
  /** The purchase of a payment, and what its refunds and disputes moved; oldest first. */
  ofPayment(accountId: string, paymentId: string): Promise<readonly LedgerEntry[]>;
}

/** Free uses that were taken. */
export interface FreeUses {
  /** Uses taken today, by tool. */
  taken(subject: FreeSubject): Promise<Readonly<Partial<Record<ToolId, number>>>>;
}

/**
 * All queued work, by the id of its file or job. 'order': the file of an older-API job has arrived or failed;
 * 'deliver': send its result to the given URL; 'accept': look at what a runner has handed over for a job, and settle
 * it.
 */
export type TaskKind = FileTask | 'job' | 'order' | 'deliver' | 'accept';

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
  (id: string, signal: AbortSignal, free?: () => void): Promise<void>;
}

/** Limits on the tasks that run at the same time in the whole fleet. */
export interface TaskLimits {
  /** Most running tasks of the kind for one account or visitor; null: no limit. */
  readonly perOwner: number | null;
  /** See `SlotRules`. Default: 0. */
  readonly freeSlots?: number;
  /** See `SlotRules`. Default: 0. */
  readonly paidSlots?: number;
  /** Of jobs: takes those that suit this worker; null: any. Default: null. */
  readonly worker?: ClaimingWorker | null;
  /** Asked before each look into the queue: may this machine take tasks now? Default: always */
  readonly mayTake?: () => boolean;
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

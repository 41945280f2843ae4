import type { Readable } from 'node:stream';
import type { JsonObject } from '../../../library/core/json.ts';
import type { FilesByField } from '../../../library/contract/tool-inputs.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { Account } from '../accounts/account.ts';
import type { JobSummary } from '../jobs/stored-job.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { FreeRun, SentReference } from './free-run-store.ts';
import type { SentFile } from '../files/sent-file.ts';

/** The client of a free run: an account by its API key, or an address. */
export interface Visitor {
  readonly account: Account | null;
  /** The owner of the free uses: the account's id, or the keyed hash of the address. */
  readonly subject: string;
}

/** A tool's free uses today. */
export interface Allowance {
  readonly tool: ToolId;
  readonly dailyUses: number;
  readonly usesLeft: number;
  /** Seconds of a file that one use processes; null: all of it. */
  readonly seconds: number | null;
  readonly resetsAt: Date;
}

/** A refusal with the allowance that was used up, for the rate-limit headers. */
export interface UsedUp {
  readonly usedUp: Allowance;
}

/** A file of a request: received bytes, or a link that is being fetched. */
export interface BroughtFile {
  readonly id: string;
  /** Identifies the content: the hash of the bytes, or the link. */
  readonly mark: string;
}

/** An admitted request, which may send its files now. */
export interface Admission {
  /**
   * Receives one file, up to the bytes that the request has left.
   * @throws EarshotError file_too_large, bad_request; AbortError
   */
  receive(sent: SentFile): Promise<BroughtFile>;
  /** Fetches a public link in the background. @throws EarshotError bad_request */
  fetch(url: string): Promise<BroughtFile>;
  /**
   * Stores the run; all its files have arrived or are being fetched. From here on it continues by itself.
   * @param wanted `free` and `maxCredits` as in a keyed request
   * @returns the run's id
   */
  start(wanted: {
    readonly inputs: FilesByField<BroughtFile>;
    readonly options: JsonObject;
    readonly format: string | null;
    readonly free: boolean | undefined;
    readonly maxCredits: number | null;
    readonly idempotencyKey: string | null;
    /** People to be named in this run alone; default: none. */
    readonly references?: readonly SentReference[];
    /** As in `OrderJob`; default: 0. */
    readonly billedSeconds?: number;
  }): Promise<string>;
  /** Ends the request; deletes its files if no run was started. Must always be called. */
  end(): Promise<void>;
}

/** A run as shown to the holder of its link. */
export interface FreeRunView {
  readonly run: FreeRun;
  /** null: none (yet), or deleted. For a waiting run that was paid: the job that processes the whole files. */
  readonly job: JobSummary | null;
  readonly outputs: readonly OutputLink[];
  /** Absolute, with its token. */
  readonly statusUrl: string;
  /** Was only the first part of a longer file processed? */
  readonly cutShort: boolean;
  /** The payment page and the price of the whole files; null: nothing to pay. */
  readonly finish: { readonly url: string; readonly priceCredits: number } | null;
  readonly finishedBy: { readonly jobId: string; readonly statusUrl: string } | null;
}

export interface OutputLink {
  readonly file: StoredFile;
  readonly url: string;
  readonly expiresAt: Date;
}

/** The use cases of the free API. */
export interface FreeRuns {
  /** @param address as `addressKey` writes it */
  visitor(account: Account | null, address: string): Visitor;
  /** The tool's free uses today. */
  allowance(visitor: Visitor, tool: ToolId): Promise<Allowance>;
  /** The free uses of every tool, and the visitor's runs that wait for a payment, newest first. */
  overview(
    visitor: Visitor,
  ): Promise<{ readonly allowances: readonly Allowance[]; readonly waiting: readonly FreeRun[] }>;
  /**
   * Admits a request, or refuses it before its body is read.
   * @throws EarshotError tool_unavailable, free_disabled, upload_limit_reached; free_limit_reached when no other run
   * may wait for a payment either
   * @param keepSeconds how long its files and their outputs are kept. Default: as long as other files of an account, or
   *   of a visitor
   */
  admit(visitor: Visitor, tool: ToolId, keepSeconds?: number): Promise<Admission>;
  /**
   * Waits until the run has ended, waits for a payment, or `waitSeconds` are over; with `started`, until its job
   * exists.
   * @param signal ends only the wait, not the run
   */
  follow(id: string, waitSeconds: number, until: 'started' | 'ended', signal: AbortSignal): Promise<FreeRunView>;
  /** The run of a status link, also of one for the finishing job. @throws EarshotError not_found, file_expired */
  byStatusLink(id: string, token: string): Promise<FreeRunView>;
  /**
   * Calls the listener with the run's state, and again at every change until it has ended. All followers of one run
   * share one query.
   * @param listener final: the last call; null: the link has expired. Must not throw
   * @throws EarshotError not_found, file_expired
   */
  followStatusLink(
    id: string,
    token: string,
    listener: (view: FreeRunView | null, final: boolean) => void,
  ): Promise<{ readonly stop: () => void }>;
  /**
   * Cancels the job of a status link; its use of the day is given back as for every run that did not succeed.
   * @throws EarshotError not_found, file_expired; job_not_cancellable when it has not started or has ended
   */
  cancel(id: string, token: string): Promise<void>;
  /** The run of a finish link. @throws EarshotError not_found, file_expired */
  byFinishLink(token: string): Promise<{ readonly view: FreeRunView; readonly files: readonly StoredFile[] }>;
  /** The job that finishes a paid run; null: none. */
  finishOf(run: FreeRun): Promise<FreeRunView | null>;
  /** The bytes of an output. @throws EarshotError file_expired */
  open(file: StoredFile): Promise<{ readonly sizeBytes: number; read(): Promise<Readable> }>;
}

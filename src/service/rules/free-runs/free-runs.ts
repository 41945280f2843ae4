import type { Readable } from 'node:stream';
import type { JsonObject } from '../../../library/core/json.ts';
import type { FilesByField } from '../../../library/contract/tool-inputs.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { Account, JobSummary, StoredFile } from '../records.ts';
import type { FreeRun } from '../free-run-store.ts';

/** Who asks for a free run: an account by its key, or an address. */
export interface Visitor {
  readonly account: Account | null;
  /** Whose free uses count: the account's id, or the keyed hash of the address. */
  readonly subject: string;
}

/** A tool's free uses of today. */
export interface Allowance {
  readonly tool: ToolId;
  readonly dailyUses: number;
  readonly usesLeft: number;
  /** How much of a file one use processes; null: all of it. */
  readonly seconds: number | null;
  readonly resetsAt: Date;
}

/** A refusal that knows what is left, so that nobody need ask again. */
export interface UsedUp {
  readonly usedUp: Allowance;
}

/** A file that came with a request: bytes that have arrived, or a link that is being fetched. */
export interface BroughtFile {
  readonly id: string;
  /** What makes two files the same: the hash of the bytes, or the link. */
  readonly mark: string;
}

/** A request that may bring its files now. */
export interface Admission {
  /**
   * Takes one file, as many bytes as the request has left.
   * @throws EarshotError file_too_large, bad_request; AbortError
   */
  receive(given: {
    readonly filename: string;
    readonly contentType: string | null;
    readonly body: Readable;
    readonly signal: AbortSignal;
  }): Promise<BroughtFile>;
  /** Has a public link fetched in the background. @throws EarshotError bad_request */
  fetch(url: string): Promise<BroughtFile>;
  /**
   * All files are here (or on their way): remembers what was asked for. The run goes on by itself from here.
   * @param wanted `free` and `maxCredits` as a keyed request has them
   */
  start(wanted: {
    readonly inputs: FilesByField<BroughtFile>;
    readonly options: JsonObject;
    readonly format: string | null;
    readonly free: boolean | undefined;
    readonly maxCredits: number | null;
    readonly idempotencyKey: string | null;
  }): Promise<string>;
  /** The request is over: what it brought and did not start goes. Call always. */
  end(): Promise<void>;
}

/** A run as whoever holds its link may see it. */
export interface FreeRunView {
  readonly run: FreeRun;
  /** null: not yet, not any more, or never. Of a waiting run that was paid: the job that runs the whole. */
  readonly job: JobSummary | null;
  readonly outputs: readonly OutputLink[];
  /** Relative addresses have no place in answers: absolute, with its token. */
  readonly statusUrl: string;
  /** Was only the first part processed, and there is more? */
  readonly cutShort: boolean;
  /** Where a person pays for the whole and what that takes; null: nothing is to be paid (any more). */
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
  /** What is left of a tool's free uses today. */
  allowance(visitor: Visitor, tool: ToolId): Promise<Allowance>;
  /** What is left of every tool's, and the visitor's files that wait for a payment, newest first. Takes nothing. */
  overview(
    visitor: Visitor,
  ): Promise<{ readonly allowances: readonly Allowance[]; readonly waiting: readonly FreeRun[] }>;
  /**
   * What can be refused before any bytes are read.
   * @throws EarshotError tool_unavailable, free_disabled, free_limit_reached when nothing more may wait either,
   * upload_limit_reached
   */
  admit(visitor: Visitor, tool: ToolId): Promise<Admission>;
  /**
   * Answers when the run has ended, waits for a payment, or after the wait; with `started` as soon as its job exists.
   * @param signal ends the wait early, not the run
   */
  follow(id: string, waitSeconds: number, until: 'started' | 'ended', signal: AbortSignal): Promise<FreeRunView>;
  /** The run, or the job that finishes one, of a status link. @throws EarshotError not_found, file_expired */
  byStatusLink(id: string, token: string): Promise<FreeRunView>;
  /**
   * Tells how that is, and then whenever it changes, until it has ended. However many follow, it is looked at once for all.
   * @param listener final: nothing comes after it; null: the link has expired. Must not throw
   * @throws EarshotError not_found, file_expired
   */
  followStatusLink(
    id: string,
    token: string,
    listener: (view: FreeRunView | null, final: boolean) => void,
  ): Promise<{ readonly stop: () => void }>;
  /** The run of a finish link. @throws EarshotError not_found, file_expired */
  byFinishLink(token: string): Promise<{ readonly view: FreeRunView; readonly files: readonly StoredFile[] }>;
  /** The job that finishes a run, for who has paid it; null: there is none (any more). */
  finishOf(run: FreeRun): Promise<FreeRunView | null>;
  /** The bytes of an output. @throws EarshotError file_expired */
  open(file: StoredFile): Promise<{ readonly sizeBytes: number; read(): Promise<Readable> }>;
}

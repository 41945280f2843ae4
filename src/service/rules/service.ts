import type { Readable } from 'node:stream';
import type { FreeRuns, FreeRunView } from './free-runs/free-runs.ts';
import type { LegacyJobs } from './legacy-jobs/legacy-jobs.ts';
import type { FreeRun } from './free-run-store.ts';
import type { Payment } from './payment-store.ts';
import type { JobRequest } from '../../library/contract/job-request.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import type { Page, PageRequest } from './ports.ts';
import type { Account, FileKind, JobSummary, LedgerEntry, StoredFile } from './records.ts';

/**
 * The service's use cases: all that an HTTP dialect or the operator's commands may ask for. Business rules live behind
 * this interface; who speaks which dialect does not matter to it. Every method throws EarshotError with a code of the
 * catalogue.
 */
export interface Service {
  readonly access: Authentication;
  readonly accounts: Accounts;
  readonly tools: Tools;
  readonly files: Files;
  readonly jobs: Jobs;
  readonly peaks: Peaks;
  readonly transcripts: Transcripts;
  readonly freeRuns: FreeRuns;
  readonly payments: Payments;
  readonly legacyJobs: LegacyJobs;
}

/** Who a request comes from. */
export interface Authentication {
  /** API key (svc_sk_...) or OAuth access token, as it stood after "Bearer ". @throws unauthorized */
  byBearer(token: string): Promise<Account>;
  /** API key alone (svc_sk_...). @throws unauthorized */
  byKey(key: string): Promise<Account>;
  /** Value of the session cookie. @throws unauthorized */
  bySession(token: string): Promise<Account>;
}

export interface AccountView {
  readonly account: Account;
  /** By tool; of today, UTC. */
  readonly freeUsesLeft: Readonly<Record<ToolId, number>>;
  readonly prices: Readonly<Record<ToolId, number>>;
  readonly limits: Readonly<Record<string, number>>;
}

/** What an account may know of itself. */
export interface Accounts {
  /** Free uses left today, prices and limits. */
  view(account: Account): Promise<AccountView>;
  /** What changed the balance, newest first. */
  ledger(account: Account, page: PageRequest): Promise<Page<LedgerEntry>>;
}

export interface ToolOffer {
  /** Why the tool cannot run in this installation and what to install; null: it can. */
  readonly unavailable: string | null;
  readonly id: ToolId;
  readonly creditsPerMinute: number;
  readonly free: { readonly enabled: boolean; readonly seconds: number | null; readonly dailyUses: number };
}

export interface Quote {
  readonly tool: ToolId;
  readonly seconds: number;
  readonly credits: number;
  readonly free: { readonly seconds: number; readonly usesLeftToday: number };
}

/** What tools cost and give away here. */
export interface Tools {
  /** Every tool with what it costs and gives away here. */
  offers(): Promise<readonly ToolOffer[]>;
  /**
   * What one run on these files costs now, and what of it is free.
   * @throws EarshotError not_found, file_not_ready
   */
  quote(account: Account, tool: ToolId, fileIds: readonly string[]): Promise<Quote>;
  /** Credits by tool for one file of that length. */
  pricesFor(durationSeconds: number): Readonly<Record<ToolId, number>>;
}

export interface UploadInstructions {
  readonly upload: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly expiresAt: Date;
  } | null;
  readonly multipart: {
    readonly partSizeBytes: number;
    readonly partCount: number;
    readonly partUrl: string;
    readonly completeUrl: string;
    readonly expiresAt: Date;
  } | null;
}

export interface UploadTicket extends UploadInstructions {
  readonly file: StoredFile;
  readonly uploadPageUrl: string;
}

export interface FileToCreate {
  readonly filename?: string;
  readonly sizeBytes?: number;
  readonly contentType?: string;
  readonly idempotencyKey?: string;
}

export interface FileToName {
  readonly filename: string;
  readonly sizeBytes: number;
  readonly contentType?: string;
}

/** URLs in answers are absolute: Config.baseUrl or the address that the service listens on. */
export interface Files {
  /**
   * A record that waits for its bytes, with a link to send them to.
   * @throws EarshotError file_too_large, unsupported_format, upload_limit_reached, idempotency_key_reused
   */
  create(account: Account, wanted: FileToCreate): Promise<UploadTicket>;
  /** Names a file that was created without name and size. */
  name(account: Account, fileId: string, wanted: FileToName): Promise<UploadTicket>;
  /** Answers after the fetch has ended or about 15 s, whichever is first. */
  importLink(account: Account, wanted: { readonly url: string; readonly filename?: string }): Promise<StoredFile>;
  /**
   * Ends an upload and drops what has arrived.
   * @throws EarshotError not_found
   */
  abort(account: Account, fileId: string): Promise<void>;
  /** Newest first, without deleted ones. */
  list(account: Account, filter: { readonly kind: FileKind | null }, page: PageRequest): Promise<Page<StoredFile>>;
  /** With waitSeconds: answers once an upload has arrived and is checked, or after the wait. */
  get(account: Account, fileId: string, waitSeconds: number, signal?: AbortSignal): Promise<StoredFile>;
  /**
   * Deletes the bytes at once; the record says 'deleted' from then on.
   * @throws EarshotError not_found
   */
  remove(account: Account, fileId: string): Promise<void>;
  /**
   * A link that needs no credentials, good for the operator's downloadSeconds.
   * @throws EarshotError not_found, file_not_ready
   */
  downloadLink(
    account: Account,
    fileId: string,
  ): Promise<{ readonly fileId: string; readonly filename: string; readonly url: string; readonly expiresAt: Date }>;

  /**
   * What an upload token (of /upload/<token>) stands for; the page shows it. The token may wait for a name and size.
   */
  ticket(token: string): Promise<UploadTicket>;
  /** The same as `name`, for who holds the upload token. */
  nameByToken(token: string, wanted: FileToName): Promise<UploadTicket>;
  /** Takes the bytes of a single PUT. `contentLength` null: chunked. */
  acceptUpload(token: string, body: Readable, contentLength: number | null, signal: AbortSignal): Promise<StoredFile>;
  /** Takes the bytes of one part, numbered from 1. `contentLength` null: chunked. */
  acceptPart(
    token: string,
    part: number,
    body: Readable,
    contentLength: number | null,
    signal: AbortSignal,
  ): Promise<void>;
  /** @throws conflict with details.missingParts */
  completeUpload(token: string): Promise<StoredFile>;
  /** The bytes behind a download token (of /f/<token>/<filename>). */
  openDownload(token: string): Promise<{
    readonly file: StoredFile;
    readonly sizeBytes: number;
    read(range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  }>;
}

export interface JobView {
  readonly job: JobSummary;
  readonly outputs: readonly StoredFile[];
}

/** Gets what somebody follows; null: it is not known any more, which is its end. */
export type Following<View> = (view: View | null, final: boolean) => void;

/** Tools run on an account's files, in the background. */
export interface Jobs {
  /**
   * Checks the request and its price, reserves the credits and queues the job.
   * @throws EarshotError insufficient_balance, over_spending_cap, free_limit_reached and whatever the tool refuses
   */
  create(account: Account, request: JobRequest): Promise<JobView>;
  /** The account's jobs, newest first. */
  list(account: Account, filter: { readonly tool: ToolId | null }, page: PageRequest): Promise<Page<JobView>>;
  /** The job with its outputs. @throws EarshotError not_found */
  get(account: Account, jobId: string): Promise<JobView>;
  /**
   * Tells how the job is, and then whenever that changes, until it has ended. However many follow one job, it is looked at
   * once for all of them.
   * @param listener final: nothing comes after it; null: the job is not known any more. Must not throw
   * @throws EarshotError not_found
   */
  follow(account: Account, jobId: string, listener: Following<JobView>): Promise<{ readonly stop: () => void }>;
  /** A queued job ends at once, a running one soon. @throws EarshotError not_found, job_not_cancellable */
  cancel(account: Account, jobId: string): Promise<JobView>;
}

export interface PeaksView {
  readonly fileId: string;
  readonly status: 'processing' | 'ready' | 'none';
  readonly durationSeconds: number | null;
  readonly peak: number | null;
  readonly levels: readonly { readonly perSecond: number; readonly count: number }[];
  /** `data`: count pairs of signed bytes, minimum then maximum. */
  readonly bins: {
    readonly level: number;
    readonly first: number;
    readonly count: number;
    readonly data: Buffer;
  } | null;
}

/** Waveforms of files, drawn when first asked for. */
export interface Peaks {
  /**
   * The peaks' facts and, with a level, up to `count` bins from bin `first` on; waits up to `waitSeconds` for them to
   * be drawn.
   * @throws EarshotError not_found, file_not_ready
   */
  get(
    account: Account,
    fileId: string,
    wanted: {
      readonly waitSeconds: number;
      readonly level: 5 | 50 | 500 | null;
      readonly first: number;
      readonly count: number;
    },
    signal?: AbortSignal,
  ): Promise<PeaksView>;
}

/** A word of a window; what the transcript does not know is left out. */
export interface WindowWord {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly speaker?: number;
  readonly matched?: boolean;
}

export interface TranscriptWindow {
  readonly fileId: string;
  readonly language: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly durationSeconds: number;
  readonly speakerCount: number | null;
  readonly detail: 'concise' | 'full';
  readonly sentences: readonly {
    readonly startSeconds: number;
    readonly endSeconds: number;
    readonly text: string;
    readonly speaker: number | null;
    readonly words?: readonly WindowWord[];
  }[];
  readonly nextFromSeconds: number | null;
}

/** Transcripts that were made by jobs, read in windows of time. */
export interface Transcripts {
  /**
   * The sentences from second `from` to second `to`; null: as many as fit into one answer.
   * @throws EarshotError not_found, wrong_file_type
   */
  window(
    account: Account,
    fileId: string,
    wanted: { readonly from: number; readonly to: number | null; readonly detail: 'concise' | 'full' },
  ): Promise<TranscriptWindow>;
}

/** What a person sees of a payment. */
export interface Receipt {
  readonly payment: Payment;
  /** Who has the credits; null until it is paid. */
  readonly account: Account | null;
  /** null: it was for credits, or its links have expired. */
  readonly run: FreeRun | null;
  /** May a key be made for the account? Once, and only where nobody had one. */
  readonly mayMakeKey: boolean;
}

/** Paying for the rest of a file, or for credits. 1 credit = 1 US cent. */
export interface Payments {
  /** Where the provider's checkout leads a browser; null: nowhere. */
  readonly checkoutOrigin: string | null;
  /** A payment as it stands now. @throws EarshotError not_found */
  get(id: string): Promise<Payment>;
  /**
   * The payment for a run that this browser has made or begun.
   * @param receipt the token of its receipt, as the browser kept it; null: it kept none
   * @returns null: none, whatever others have paid
   */
  ofBrowser(run: FreeRun, receipt: string | null): Promise<Payment | null>;
  /** The link that a payment can be looked at with. */
  receiptUrl(payment: Payment): string;
  /**
   * Begins to pay for the whole of a run's files, which are kept until that ends.
   * @param mine what this browser has begun already, and goes on with; null: nothing
   * @returns where the person goes on
   * @throws EarshotError conflict when there is nothing to pay; file_expired when the files go before a payment could be
   * made; forbidden where nobody can pay
   */
  payForRun(view: FreeRunView, mine: Payment | null): Promise<{ readonly payment: Payment; readonly url: string }>;
  /** Where a person buys credits for the account; null where nobody can pay. */
  buyUrl(accountId: string): string | null;
  /** The account of such a link. @throws EarshotError not_found */
  buyer(token: string): Promise<Account>;
  /** Begins to buy credits. @throws EarshotError bad_request, forbidden, not_found */
  payForCredits(token: string, cents: number): Promise<{ readonly payment: Payment; readonly url: string }>;
  /**
   * What the provider sent. Repeated, late and out of order it comes to the same.
   * @returns a payment that a bank has begun or ceased to ask back, for the operator's log; null: no such news
   * @throws EarshotError unauthorized
   */
  onEvent(body: Buffer, signature: string | null): Promise<Payment | null>;
  /** The money is there. Once: a repeated confirmation answers what the first one did. */
  confirm(id: string, paidCents: number): Promise<Payment>;
  /**
   * Sends money back and takes its credits.
   * @param cents null: all that is left
   * @throws EarshotError bad_request, insufficient_balance when the credits are spent or held
   */
  refund(id: string, cents: number | null): Promise<Payment>;
  /** All payments, newest first. */
  list(page: PageRequest): Promise<Page<Payment>>;
  /** What the holder of a receipt's link may see. @throws EarshotError not_found */
  receipt(token: string): Promise<Receipt>;
  /**
   * The secret of a first key for the account that a payment made. There is one, however many ask at once.
   * @param press what the page's form carried; the same press has the same key. null: none
   * @throws EarshotError conflict
   */
  makeKey(token: string, press: string | null): Promise<string>;
}

import type { Readable } from 'node:stream';
import type { Edits } from './edit-use-cases.ts';
import type { OpenedFile } from './opened-file.ts';
import type { FreeRuns, FreeRunView } from './free-run-use-cases.ts';
import type { LegacyJobs } from './legacy-job-use-cases.ts';
import type { FreeOverview, FreeRun } from './free-run-store.ts';
import type { Keys } from './key-use-cases.ts';
import type { Payment, PaymentStatus } from './payment-store.ts';
import type { JobRequest } from '../../library/contract/job-request.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import type { TranscriptStretch } from '../../library/contract/transcript-window.ts';
import type { StillLeads } from './leadership.ts';
import type { JobActivity, Page, PageRequest, StorageTotals } from './ports.ts';
import type { Programs } from './program-use-cases.ts';
import type { SignIn } from './sign-in-use-cases.ts';
import type { Session } from './sign-in-store.ts';
import type { Account, FileKind, JobSummary, LedgerEntry, StoredFile } from './records.ts';

/**
 * The service's use cases, for HTTP dialects and the operator's commands. They know no dialect. Every method throws
 * EarshotError with a code of the catalogue.
 */
export interface Service {
  readonly access: Authentication;
  readonly accounts: Accounts;
  readonly tools: Tools;
  readonly files: Files;
  readonly jobs: Jobs;
  readonly peaks: Peaks;
  readonly transcripts: Transcripts;
  readonly edits: Edits;
  readonly freeRuns: FreeRuns;
  readonly payments: Payments;
  readonly legacyJobs: LegacyJobs;
  readonly signIn: SignIn;
  readonly keys: Keys;
  /** null: the service issues no access tokens. */
  readonly programs: Programs | null;
  /** @throws EarshotError forbidden for an account without the right */
  overview(account: Account): Promise<Overview>;
}

/** Where an access token is shown: at the assistants' door, or at the APIs. */
export type Door = 'mcp' | 'api';

/** Finds the account of a request. */
export interface Authentication {
  /**
   * API key (svc_sk_...) or OAuth access token, without "Bearer ".
   * @param door of an access token of our own authorization server. Default: api
   * @throws unauthorized
   */
  byBearer(token: string, door?: Door): Promise<Account>;
  /** API key (svc_sk_...) only. @throws unauthorized */
  byKey(key: string): Promise<Account>;
  /** Value of the session cookie. @throws unauthorized */
  bySession(token: string): Promise<Account>;
  /** The same with the session itself. @throws unauthorized */
  session(token: string): Promise<{ readonly session: Session; readonly account: Account }>;
}

export interface AccountView {
  readonly account: Account;
  /** By tool, for today (UTC). */
  readonly freeUsesLeft: Readonly<Record<ToolId, number>>;
  readonly prices: Readonly<Record<ToolId, number>>;
  readonly limits: Readonly<Record<string, number>>;
}

/** The account's view of itself. */
export interface Accounts {
  /** Free uses left today, prices and limits. */
  view(account: Account): Promise<AccountView>;
  /** All changes of the balance, newest first. */
  ledger(account: Account, page: PageRequest): Promise<Page<LedgerEntry>>;
  /** What a payment moved: its purchase, refunds and disputes; oldest first. */
  ledgerOf(account: Account, paymentId: string): Promise<readonly LedgerEntry[]>;
}

export interface ToolOffer {
  /** Why the tool cannot run in this installation and what to install; null: it can run. */
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

/** Prices and free allowances of the tools. */
export interface Tools {
  /** Every tool with its price and its free allowance. */
  offers(): Promise<readonly ToolOffer[]>;
  /**
   * The price of one run on these files now, and its free part.
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

/** URLs in answers are absolute: from Config.baseUrl or the address that the service listens on. */
export interface Files {
  /**
   * Creates a record that awaits its upload, with the upload link.
   * @throws EarshotError file_too_large, unsupported_format, upload_limit_reached, idempotency_key_reused
   */
  create(account: Account, wanted: FileToCreate): Promise<UploadTicket>;
  /** Names a file that was created without name and size. */
  name(account: Account, fileId: string, wanted: FileToName): Promise<UploadTicket>;
  /** Answers when the fetch has ended, or after about 15 s. */
  importLink(account: Account, wanted: { readonly url: string; readonly filename?: string }): Promise<StoredFile>;
  /**
   * Stops an upload and deletes its bytes.
   * @throws EarshotError not_found
   */
  abort(account: Account, fileId: string): Promise<void>;
  /** Newest first, without deleted ones. */
  list(account: Account, filter: { readonly kind: FileKind | null }, page: PageRequest): Promise<Page<StoredFile>>;
  /** Answers when the upload has arrived and is checked, or after waitSeconds. */
  get(account: Account, fileId: string, waitSeconds: number, signal?: AbortSignal): Promise<StoredFile>;
  /**
   * Deletes the bytes at once; the record says 'deleted' from then on.
   * @throws EarshotError not_found
   */
  remove(account: Account, fileId: string): Promise<void>;
  /**
   * The bytes, for pages of the account itself.
   * @throws EarshotError not_found, file_not_ready
   */
  open(account: Account, fileId: string): Promise<OpenedFile>;
  /**
   * A link that needs no credentials and works for the setting downloadSeconds.
   * @throws EarshotError not_found, file_not_ready
   */
  downloadLink(
    account: Account,
    fileId: string,
  ): Promise<{ readonly fileId: string; readonly filename: string; readonly url: string; readonly expiresAt: Date }>;

  /**
   * The file of an upload token (/upload/<token>), for the upload page. It may have no name and size yet.
   */
  ticket(token: string): Promise<UploadTicket>;
  /** As `name`, with the upload token as the credential. */
  nameByToken(token: string, wanted: FileToName): Promise<UploadTicket>;
  /** Links for sending these parts to the store itself; none when all bytes go through the API. */
  partLinks(
    token: string,
    parts: readonly number[],
  ): Promise<readonly { readonly part: number; readonly url: string; readonly expiresAt: Date }[]>;
  /** Receives the bytes of a single PUT. `contentLength` null: chunked. */
  acceptUpload(token: string, body: Readable, contentLength: number | null, signal: AbortSignal): Promise<StoredFile>;
  /** Receives the bytes of one part, numbered from 1. `contentLength` null: chunked. */
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
  openDownload(token: string): Promise<OpenedFile>;
}

export interface JobView {
  readonly job: JobSummary;
  readonly outputs: readonly StoredFile[];
}

/** Receives the states of a followed job; null: the job was deleted, no other state follows. */
export type Following<View> = (view: View | null, final: boolean) => void;

/** Tools run on an account's files, in the background. */
export interface Jobs {
  /**
   * Checks the request and its price, reserves the credits and enqueues the job.
   * @throws EarshotError insufficient_balance, over_spending_cap, free_limit_reached, and the tool's own errors
   */
  create(account: Account, request: JobRequest): Promise<JobView>;
  /** The account's jobs, newest first. */
  list(account: Account, filter: { readonly tool: ToolId | null }, page: PageRequest): Promise<Page<JobView>>;
  /** The job with its outputs. @throws EarshotError not_found */
  get(account: Account, jobId: string): Promise<JobView>;
  /**
   * Calls the listener with the job's state, and again at every change until it has ended. All followers of one job
   * share one query.
   * @param listener final: the last call; null: the job was deleted. Must not throw
   * @throws EarshotError not_found
   */
  follow(account: Account, jobId: string, listener: Following<JobView>): Promise<{ readonly stop: () => void }>;
  /** Cancels a queued job at once, a running one soon. @throws EarshotError not_found, job_not_cancellable */
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

/** Waveforms of files, made on the first request. */
export interface Peaks {
  /**
   * The description of the peaks and, with a level, up to `count` bins from bin `first` on; waits up to `waitSeconds`
   * until they are made.
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

export interface TranscriptWindow extends TranscriptStretch {
  readonly fileId: string;
}

/** Transcripts made by jobs, read in time windows. */
export interface Transcripts {
  /**
   * The sentences from second `from` to second `to`; null: a default window.
   * @throws EarshotError not_found, wrong_file_type
   */
  window(
    account: Account,
    fileId: string,
    wanted: { readonly from: number; readonly to: number | null; readonly detail: 'concise' | 'full' },
  ): Promise<TranscriptWindow>;
}

/** Settings of auto-refill, in whole US cents. */
export interface RefillWish {
  readonly thresholdCents: number;
  readonly amountCents: number;
  readonly monthlyCapCents: number;
}

/** Buys credits when few are left. */
export interface Refills {
  /** Can the service save cards? */
  readonly possible: boolean;
  /** Cents that auto-refill has bought, or is buying, since the month (UTC) began. */
  spentThisMonth(account: Account): Promise<number>;
  /** Sets and switches it on; clears an earlier failure. @throws EarshotError bad_request, forbidden */
  save(account: Account, wish: RefillWish): Promise<void>;
  /** Switches it off. The card is kept. */
  turnOff(account: Account): Promise<void>;
  /**
   * The provider's page to save a card at.
   * @param press random token of the page's form
   * @throws EarshotError forbidden, internal_error
   */
  saveCard(account: Account, press: string): Promise<string>;
  /** Deletes the card, which switches auto-refill off. */
  forgetCard(account: Account): Promise<void>;
  /** Tries again after a failure. */
  retry(account: Account): Promise<void>;
  /** Charges the card if the account is below its threshold now. Never throws: what fails is tried again. */
  check(accountId: string): Promise<void>;
  /** The same for all accounts, and for charges whose process died. Call regularly. */
  sweep(stillLeads?: StillLeads): Promise<void>;
}

/** The content of the operator's page. */
export interface Overview {
  readonly at: Date;
  readonly jobs: JobActivity;
  readonly slots: number;
  readonly free: FreeOverview & { readonly budgetSeconds: number | null };
  readonly files: StorageTotals;
  readonly payments: {
    readonly counts: Readonly<Record<PaymentStatus | 'disputed', number>>;
    readonly latest: readonly Payment[];
  };
}

/** A payment as its receipt page shows it. */
export interface Receipt {
  readonly payment: Payment;
  /** The account that has the credits; null until it is paid. */
  readonly account: Account | null;
  /** null: the payment was for credits, or the run's links have expired. */
  readonly run: FreeRun | null;
  /** May an API key be created for the account? Only if it never had one. */
  readonly mayMakeKey: boolean;
}

/** Payments for the rest of a file, or for credits. 1 credit = 1 US cent. */
export interface Payments {
  /** Origin of the provider's checkout page; null: none. */
  readonly checkoutOrigin: string | null;
  /** The current state of a payment. @throws EarshotError not_found */
  get(id: string): Promise<Payment>;
  /**
   * This browser's own payment for a run.
   * @param receipt the receipt token in the browser's cookie; null: none
   * @returns null: none; other browsers may have paid
   */
  ofBrowser(run: FreeRun, receipt: string | null): Promise<Payment | null>;
  /** The link to the payment's receipt page. */
  receiptUrl(payment: Payment): string;
  /**
   * Begins a payment for the whole of a run's files, which are kept until it ends.
   * @param mine the payment that this browser has already begun, to continue; null: none
   * @returns the payment and the page to go to
   * @throws EarshotError conflict when there is nothing to pay; file_expired when the files expire before a payment
   * could be made; forbidden where payments are switched off
   */
  payForRun(view: FreeRunView, mine: Payment | null): Promise<{ readonly payment: Payment; readonly url: string }>;
  /** The page to buy credits for the account; null where payments are switched off. */
  buyUrl(accountId: string): string | null;
  /** The account of a link from `buyUrl`. @throws EarshotError not_found */
  buyer(token: string): Promise<Account>;
  /** Begins a payment for credits. @throws EarshotError bad_request, forbidden, not_found */
  payForCredits(token: string, cents: number): Promise<{ readonly payment: Payment; readonly url: string }>;
  /**
   * Handles an event of the provider. Idempotent, in any order.
   * @returns a payment whose dispute changed, for the operator's log; otherwise null
   * @throws EarshotError unauthorized
   */
  onEvent(body: Buffer, signature: string | null): Promise<Payment | null>;
  /** Confirms a payment. Idempotent: a repeated call returns the result of the first. */
  confirm(id: string, paidCents: number): Promise<Payment>;
  /**
   * Refunds money and takes back its credits.
   * @param cents null: the whole rest
   * @throws EarshotError bad_request, insufficient_balance when the credits are spent or reserved
   */
  refund(id: string, cents: number | null): Promise<Payment>;
  /** All payments, newest first. */
  list(page: PageRequest): Promise<Page<Payment>>;
  /** Does the service sell credits? */
  readonly possible: boolean;
  /**
   * Begins a payment for credits of a signed-in account.
   * @returns the payment and the page to go to: the provider's, or the receipt's page of the website
   * @throws EarshotError bad_request, forbidden
   */
  payForAccount(account: Account, cents: number): Promise<{ readonly payment: Payment; readonly url: string }>;
  /**
   * The provider's page of an open payment: url null where it is being confirmed; null: it has ended, and is closed.
   */
  goOn(payment: Payment): Promise<{ readonly url: string | null } | null>;
  /** The account's payments without abandoned checkouts, newest first. */
  listOf(account: Account, page: PageRequest): Promise<Page<Payment>>;
  /** A payment, if it is the account's. @throws EarshotError not_found */
  ofAccount(account: Account, id: string): Promise<Payment>;
  readonly refills: Refills;
  /** The receipt of a link. @throws EarshotError not_found */
  receipt(token: string): Promise<Receipt>;
  /**
   * Creates the first API key of the account that a payment created, and returns its secret. Only one key is created,
   * also under concurrent calls.
   * @param press random token of the page's form: the same press returns the same key. null: none
   * @throws EarshotError conflict
   */
  makeKey(token: string, press: string | null): Promise<string>;
}

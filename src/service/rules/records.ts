import type { ErrorDetails } from '../../library/core/errors/errors.ts';
import type { JsonObject } from '../../library/core/json.ts';
import type { Warning } from '../../library/core/progress/progress.ts';
import type { FilePeaks, MediaRecord } from '../../library/contract/media-work.ts';
import type { Refusal } from '../../library/contract/tool-facts.ts';
import type { FilesByField } from '../../library/contract/tool-inputs.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';

/**
 * The service's records as plain data. Adapters map rows to them; HTTP dialects map them to the interface's shapes.
 * Credits are whole numbers; 1 credit = 1 US cent.
 */

/** An account and its balance. */
export interface Account {
  /** Made by the service, unique: "acc_...". */
  readonly id: string;
  /** 1 to 200 characters; need not be unique. */
  readonly name: string;
  /** Credits owned, including those reserved by jobs. Never negative. */
  readonly balance: number;
  /** Credits reserved by jobs that have not ended. 0 <= reserved <= balance. */
  readonly reserved: number;
  readonly autoRefill: AutoRefill;
  /** Subject of the access tokens for this account, unique; null: none. */
  readonly oauthSubject: string | null;
  /** Address for sign-in links and receipts, in lower case, unique; null: none. */
  readonly email: string | null;
  /** Whether it may see the operator's page. */
  readonly operator: boolean;
  /** Language of its mails, as in its last sign-in. */
  readonly language: Language;
  readonly createdAt: Date;
}

/** Languages of the website and of mails. */
export type Language = 'en' | 'de';

/** Read-only in the API; set on the website and by the operator's commands. */
export interface AutoRefill {
  /** Is it switched on? Default: off. */
  readonly enabled: boolean;
  /** Refill below this available balance: whole US cents, at least 0; null: not set. */
  readonly thresholdCents: number | null;
  /** Amount of one refill: whole US cents, at least 0; null: not set. */
  readonly amountCents: number | null;
  /** Most that is added in one month: whole US cents, at least 0; null: not set. */
  readonly monthlyCapCents: number | null;
  /** The card to charge; null: not known. */
  readonly card: {
    /** For example "visa". */
    readonly brand: string;
    /** The last four digits. */
    readonly last4: string;
    /** The provider's id of the customer; absent when the operator entered the card, which then cannot be charged. */
    readonly customer?: string;
    /** The provider's id of the card; absent as above. */
    readonly method?: string;
  } | null;
  /** Why the last refill failed, until the settings change; null or absent when it did not. */
  readonly failure?: RefillFailure | null;
}

/** A failed refill. No further one is tried until the user has acted. */
export interface RefillFailure {
  /** 'confirm': the bank requires the user to confirm the payment. */
  readonly cause: 'declined' | 'expired' | 'confirm';
  /** The failed payment. */
  readonly paymentId: string;
  /** ISO 8601 time. */
  readonly at: string;
}

/** An API key. Its secret is not stored. */
export interface ApiKey {
  /** Made by the service, unique: "key_...". */
  readonly id: string;
  /** The key's account. */
  readonly accountId: string;
  /** Need not be unique. */
  readonly name: string;
  /** The first 13 characters of the secret, enough to tell keys apart. */
  readonly prefix: string;
  readonly createdAt: Date;
  /** Exact to a minute; null: never used. */
  readonly lastUsedAt: Date | null;
  /** null while the key works. */
  readonly revokedAt: Date | null;
}

/**
 * Kinds of ledger entries. The sum of `credits` over an account's entries is its balance, the sum of `reserved` its
 * reserved credits: grant and purchase +credits, adjustment either way, reserve +reserved, release -reserved, charge
 * -credits and -reserved.
 */
export type LedgerKind = 'grant' | 'purchase' | 'adjustment' | 'reserve' | 'release' | 'charge';

/** An entry of the ledger, which is append-only. */
export interface LedgerEntry {
  /** Public id of the entry, unique: "led_...". */
  readonly id: string;
  /** The entry's account. */
  readonly accountId: string;
  readonly kind: LedgerKind;
  /** Signed change of the balance; 0 for reserve and release. */
  readonly credits: number;
  /** Signed change of the reserved credits; 0 without a job. */
  readonly reserved: number;
  /** Credits owned after this entry, at least 0. */
  readonly balance: number;
  /** The entry's job; null for grant, purchase and adjustment. */
  readonly jobId: string | null;
  /** The payment that it comes from: a purchase, a refund or a dispute; null for other entries. */
  readonly paymentId: string | null;
  /** The dispute of that payment, by the provider's id; the payment's own id where that is not known. null: none. */
  readonly disputeId: string | null;
  /** The operator's remark; null without one. */
  readonly note: string | null;
  readonly createdAt: Date;
}

/** 'original': uploaded or imported. 'output': made by a tool. */
export type FileKind = 'original' | 'output';
/** The life cycle of a file; 'invalid': its check failed, it cannot be used. */
export type FileStatus = 'awaiting_upload' | 'processing' | 'ready' | 'invalid' | 'deleted';

/** Why a file or a job failed. Records show the code and the message. */
export interface StoredError extends Refusal {
  /** May the request be retried? Absent: as in the catalogue. */
  readonly retryable?: boolean;
  /** Absent: as in the catalogue. */
  readonly nextAction?: string;
  /** Facts for programs; also decide the HTTP status. */
  readonly details?: ErrorDetails;
}

/** How a file arrives. */
export interface UploadPlan {
  /**
   * 'single' one PUT, 'multipart' parts of partSizeBytes, 'import' fetched from a link.
   */
  readonly mode: 'single' | 'multipart' | 'import';
  /** Size of every part except the last; null unless 'multipart'. */
  readonly partSizeBytes: number | null;
  /** null unless 'multipart'. */
  readonly partCount: number | null;
  /** 'import': the link, until the file has arrived; absent otherwise. */
  readonly link?: {
    /** Checked and normalised. */
    readonly url: string;
    /** Did the client choose the filename? Then the link's own is ignored. */
    readonly named: boolean;
    /** The size limit of all files of its request; absent: only the limit of one file applies. */
    readonly request?: RequestBound;
  };
}

/** The size limit of all files of one request together. */
export interface RequestBound {
  /** At least 1. */
  readonly bytes: number;
  /** Ids of the request's files before this one. */
  readonly earlier: readonly string[];
}

/** 'none': the file has no sound. */
export type PeaksStatus = 'processing' | 'ready' | 'none';

/** A file's record. null: not known yet, or does not apply to this kind of file. */
export interface StoredFile {
  /** Made by the service, unique. */
  readonly id: string;
  /** null: the file of a visitor's free run. */
  readonly accountId: string | null;
  /** The visitor that owns it, for files without an account: the keyed hash of the address. Absent: not known. */
  readonly visitor?: string | null;
  readonly kind: FileKind;
  readonly status: FileStatus;
  /** As given by the client or suggested by a tool, without folders. */
  readonly filename: string;
  /** MIME type: from the client, later from the check. */
  readonly contentType: string;
  readonly sizeBytes: number | null;
  /** SHA-256 of the bytes, hex; null before they have arrived, and for multipart uploads. */
  readonly sha256: string | null;
  readonly durationSeconds: number | null;
  /** Container, such as "wav"; null before the check. */
  readonly format: string | null;
  /** Has it a video stream? false before the check. */
  readonly hasVideo: boolean;
  /** Has it an audio stream? false before the check. */
  readonly hasAudio: boolean;
  readonly media: MediaRecord | null;
  readonly error: StoredError | null;
  readonly upload: UploadPlan | null;
  /**
   * The object store's id of the multipart upload, from the first part on; not cleared at its end. null: no part has
   * arrived, it is not a multipart upload, or the store lost it.
   */
  readonly uploadId: string | null;
  /** Key of the bytes in the object store; null before they have arrived and after their deletion. */
  readonly objectKey: string | null;
  /** Hash of the imported link. */
  readonly importHash: string | null;
  /** The job that created it; null for an original. */
  readonly sourceJobId: string | null;
  readonly peaksStatus: PeaksStatus | null;
  /** Description of the object at `peaksKey`. */
  readonly peaks: FilePeaks | null;
  /** Key of the peaks' bins in the object store; null before they are made. */
  readonly peaksKey: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The last three are final. */
export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
export const terminalJobStatuses: readonly JobStatus[] = ['succeeded', 'failed', 'cancelled'];

/** The basis of a job's price, stored with it: the operator may change prices while it runs. */
export interface JobBilling {
  /** Billed length in the tool's measure (main input, sum or longest), seconds. */
  readonly seconds: number;
  readonly creditsPerMinute: number;
}

/** A job, from its order to its settlement. */
export interface StoredJob {
  /** Made by the service, unique: "job_...". */
  readonly id: string;
  /** null: a visitor's free run. */
  readonly accountId: string | null;
  readonly tool: ToolId;
  readonly status: JobStatus;
  /** Ids of the files by input field, in order. */
  readonly inputs: FilesByField<string>;
  readonly options: JsonObject;
  /** A free use: price 0, and only the free part is processed. */
  readonly free: boolean;
  /** Seconds to process at most; null: all. */
  readonly windowSeconds: number | null;
  /** Credits reserved until the job ends; 0 for a free run. */
  readonly price: number;
  /** null for jobs of older versions, which did not store it. */
  readonly billing: JobBilling | null;
  /** Progress of the current attempt, 0 to 1. */
  readonly progress: number;
  /** What it is doing now, such as "queued" or "encoding". */
  readonly stage: string;
  /** Seconds, at least 0; null while unknown and when the job is not running. */
  readonly estimatedSecondsLeft: number | null;
  /** Seconds of the input that were processed; null unless the job succeeded. */
  readonly processedSeconds: number | null;
  /** The tool's result besides its files; null unless the job succeeded, and after the retention time. */
  readonly result: JsonObject | null;
  /** Ids of the files that it made, in order; none unless the job succeeded. */
  readonly outputFileIds: readonly string[];
  /** Why it failed; null unless it did. */
  readonly error: StoredError | null;
  /** Warnings of a successful job: a truncated file, a target that was not reached. */
  readonly warnings: readonly Warning[];
  /** Has a client asked to cancel it? */
  readonly cancelRequested: boolean;
  /** Fencing token: number of starts. Only the latest attempt may settle. */
  readonly attempt: number;
  readonly createdAt: Date;
  /** Time of the first start; null before. */
  readonly startedAt: Date | null;
  /** Time of its end; null before. */
  readonly finishedAt: Date | null;
}

/**
 * The fields of a job for lists and polls: without its options (a script may be megabytes long) and the worker's
 * fields. Lists have null for a long `result`.
 */
export type JobSummary = Pick<
  StoredJob,
  | 'id'
  | 'accountId'
  | 'tool'
  | 'status'
  | 'free'
  | 'price'
  | 'progress'
  | 'stage'
  | 'estimatedSecondsLeft'
  | 'processedSeconds'
  | 'result'
  | 'outputFileIds'
  | 'error'
  | 'warnings'
  | 'createdAt'
>;

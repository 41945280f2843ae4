import type { ErrorDetails } from '../../library/core/errors.ts';
import type { JsonObject } from '../../library/core/json.ts';
import type { Warning } from '../../library/core/progress.ts';
import type { FilePeaks, MediaRecord } from '../../library/contract/media-work.ts';
import type { Refusal } from '../../library/contract/tool-facts.ts';
import type { FilesByField } from '../../library/contract/tool-inputs.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';

/**
 * What the service remembers, as plain data. Adapters translate rows to these and back; HTTP dialects translate these
 * to the shapes of the interface. Credits are whole numbers; 1 credit = 1 US cent.
 */

export interface Account {
  readonly id: string;
  readonly name: string;
  /** Credits owned. What running jobs hold is still in it. Never negative. */
  readonly balance: number;
  /** Credits held for jobs that have not ended. 0 <= reserved <= balance. */
  readonly reserved: number;
  readonly autoRefill: AutoRefill;
  /** Subject of access tokens that act for this account. */
  readonly oauthSubject: string | null;
  readonly createdAt: Date;
}

/** Read-only in the API; the operator's CLI or a payment adapter changes it. */
export interface AutoRefill {
  /** Is it switched on? Off is the default. */
  readonly enabled: boolean;
  /** Refill when less than this is available: whole US cents, at least 0; null: not set. */
  readonly thresholdCents: number | null;
  /** How much is added each time: whole US cents, at least 0; null: not set. */
  readonly amountCents: number | null;
  /** What is added in one month at most: whole US cents, at least 0; null: not set. */
  readonly monthlyCapCents: number | null;
  /** The card that would be charged; null: none is known. */
  readonly card: {
    /** Such as "visa". */
    readonly brand: string;
    /** The last four digits. */
    readonly last4: string;
  } | null;
}

export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The first characters of the secret, enough to tell keys apart. The secret itself is not stored. */
  readonly prefix: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/**
 * How the books move. The sum of `credits` over an account's entries is its balance, the sum of `reserved` what it
 * holds: grant and purchase +credits, adjustment either way, reserve +reserved, release -reserved, charge -credits and
 * -reserved.
 */
export type LedgerKind = 'grant' | 'purchase' | 'adjustment' | 'reserve' | 'release' | 'charge';

export interface LedgerEntry {
  readonly id: string;
  readonly accountId: string;
  readonly kind: LedgerKind;
  /** Signed change of the balance; 0 for reserve and release. */
  readonly credits: number;
  /** Signed change of what is held. */
  readonly reserved: number;
  /** Balance after this entry. */
  readonly balance: number;
  readonly jobId: string | null;
  readonly note: string | null;
  readonly createdAt: Date;
}

/** What a client brought in, or what a tool made of it. */
export type FileKind = 'original' | 'output';
/** Where a file is on its way from its creation to its deletion; 'invalid' ones cannot be used. */
export type FileStatus = 'awaiting_upload' | 'processing' | 'ready' | 'invalid' | 'deleted';

/** Why a file or a job came to nothing. Records show the code and the message. */
export interface StoredError extends Refusal {
  /** May the same be tried again? Absent where it is as the catalogue says. */
  readonly retryable?: boolean;
  /** What helps, where the catalogue does not say it. */
  readonly nextAction?: string;
  /** Facts for programs and for the status of an answer. */
  readonly details?: ErrorDetails;
}

/** An upload under way. */
export interface UploadPlan {
  /**
   * 'single' one PUT, 'multipart' parts of partSizeBytes, 'import' fetched from a link. null until name and size are
   * known.
   */
  readonly mode: 'single' | 'multipart' | 'import';
  /** Of every part but the last; null unless 'multipart'. */
  readonly partSizeBytes: number | null;
  /** null unless 'multipart'. */
  readonly partCount: number | null;
  /** 'import': where from, until it has arrived; absent otherwise. */
  readonly link?: {
    /** As the client gave it, checked and normalised. */
    readonly url: string;
    /** Did the client choose the file's name? Then the link's own is not taken. */
    readonly named: boolean;
    /** It came with a request whose files have a bound together; absent: it has none but a file's own. */
    readonly request?: RequestBound;
  };
}

/** What all files of one request may have together. */
export interface RequestBound {
  /** At least 1. */
  readonly bytes: number;
  /** Ids of the request's files that came before this one. */
  readonly earlier: readonly string[];
}

/** 'none': the file has no sound to draw. */
export type PeaksStatus = 'processing' | 'ready' | 'none';

/** A file's record. null stands for what is not known yet, or does not apply to this kind of file. */
export interface StoredFile {
  /** Made by the service, unique. */
  readonly id: string;
  /** null: nobody's, a free run's file. */
  readonly accountId: string | null;
  /** Whose file it is where it is no account's: the keyed hash of the address. Absent: nobody knows. */
  readonly visitor?: string | null;
  readonly kind: FileKind;
  readonly status: FileStatus;
  /** The name that people gave it or a tool suggested, without folder. */
  readonly filename: string;
  /** MIME type: as the client said, later as the check found. */
  readonly contentType: string;
  readonly sizeBytes: number | null;
  /** Of the bytes, hex; null before they have arrived, and for what was uploaded in parts. */
  readonly sha256: string | null;
  readonly durationSeconds: number | null;
  /** Container, such as "wav"; null before the check. */
  readonly format: string | null;
  /** True for moving pictures; false before the check. */
  readonly hasVideo: boolean;
  /** Is there a stream of sound? false before the check. */
  readonly hasAudio: boolean;
  readonly media: MediaRecord | null;
  readonly error: StoredError | null;
  readonly upload: UploadPlan | null;
  /**
   * The object store's name for an upload in parts, from the first part on; not cleared when that has ended. null: no
   * part yet, no parts at all, or the store lost them.
   */
  readonly uploadId: string | null;
  /** Where the bytes lie in the object store; null before they have arrived and after they are gone. */
  readonly objectKey: string | null;
  /** Hash of the link it was imported from. */
  readonly importHash: string | null;
  /** The job that made it; null for an original. */
  readonly sourceJobId: string | null;
  readonly peaksStatus: PeaksStatus | null;
  /** Of the object at `peaksKey`. */
  readonly peaks: FilePeaks | null;
  /** Where the peaks' bins lie in the object store; null before they are drawn. */
  readonly peaksKey: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Where a job is; the last three are final. */
export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
export const terminalJobStatuses: readonly JobStatus[] = ['succeeded', 'failed', 'cancelled'];

/** How a job's price was made, kept with it: the operator may change prices while it runs. */
export interface JobBilling {
  /** Length that was quoted, in the tool's measure (main input, sum or longest), seconds. */
  readonly seconds: number;
  readonly creditsPerMinute: number;
}

export interface StoredJob {
  readonly id: string;
  readonly accountId: string | null;
  readonly tool: ToolId;
  readonly status: JobStatus;
  /** File ids. */
  readonly inputs: FilesByField<string>;
  readonly options: JsonObject;
  /** Only the free part runs. */
  readonly free: boolean;
  /** Seconds that are processed at most; null: all. */
  readonly windowSeconds: number | null;
  /** Credits held until the job ends; 0 for a free run. */
  readonly price: number;
  /** null for a job from before it was remembered. */
  readonly billing: JobBilling | null;
  readonly progress: number;
  readonly stage: string;
  readonly estimatedSecondsLeft: number | null;
  readonly processedSeconds: number | null;
  /** What the tool answered besides files. */
  readonly result: JsonObject | null;
  readonly outputFileIds: readonly string[];
  readonly error: StoredError | null;
  /** What people should know of a job that succeeded: a file that ends early, a target that was not reached. */
  readonly warnings: readonly Warning[];
  readonly cancelRequested: boolean;
  /** Fencing token: how many times the job was started. Only the latest start may settle. */
  readonly attempt: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/**
 * What lists and polls show of a job: nothing of the worker's, and not what it was given (a script among the options may
 * be megabytes long). Lists have null for a long `result`.
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

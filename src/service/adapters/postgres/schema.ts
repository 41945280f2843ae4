import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { JsonObject } from '../../../library/core/json.ts';
import type { Warning } from '../../../library/core/progress.ts';
import type { ErrorJson } from '../../../library/core/errors.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { FilePeaks, MediaRecord } from '../../../library/contract/media-work.ts';
import type {
  AutoRefill,
  FileKind,
  FileStatus,
  JobStatus,
  LedgerKind,
  PeaksStatus,
  StoredError,
  UploadPlan,
} from '../../rules/records.ts';
import type { FreeRunRequest, FreeRunStatus } from '../../rules/free-run-store.ts';
import type { LegacyJobStatus } from '../../rules/legacy-job-store.ts';
import type { PaymentDispute, PaymentOutcome, PaymentProviderId, PaymentStatus } from '../../rules/payment-store.ts';

/** The tables as Kysely sees them. What they promise (checks, keys, triggers) stands in migrations/. */
export interface Tables {
  accounts: AccountTable;
  api_keys: ApiKeyTable;
  sessions: SessionTable;
  ledger: LedgerTable;
  free_uses: FreeUseTable;
  jobs: JobTable;
  files: FileTable;
  file_parts: FilePartTable;
  idempotency: IdempotencyTable;
  free_days: FreeDayTable;
  free_runs: FreeRunTable;
  payments: PaymentTable;
  legacy_jobs: LegacyJobTable;
  settings: SettingTable;
  token_keys: TokenKeyTable;
  worker_deaths: WorkerDeathTable;
}

/** Set by the database: clock_timestamp() at the insert. */
type CreatedAt = Generated<Date>;
/** Read as values, written as JSON text, so that arrays do not become PostgreSQL arrays. */
type Json<Value> = ColumnType<Value, string, string>;
/** The same where the column may be null: nothing is known, or nothing applies. */
type JsonOrNull<Value> = ColumnType<Value | null, string | null | undefined, string | null>;

/** Who pays, and what they have. */
export interface AccountTable {
  /** Made by the service, unique: "acc_...". */
  id: string;
  /** For people, 1 to 200 characters; need not be unique. */
  name: string;
  balance: Generated<number>;
  reserved: Generated<number>;
  auto_refill: Json<AutoRefill>;
  /** Subject of access tokens that act for this account, unique; null: none do. */
  oauth_subject: string | null;
  created_at: CreatedAt;
}

/** Keys of accounts. The secrets themselves are not stored. */
export interface ApiKeyTable {
  /** Made by the service, unique: "key_...". */
  id: string;
  /** The account that the key acts for. */
  account_id: string;
  /** For people; need not be unique. */
  name: string;
  /** The first 13 characters of the secret, enough to tell keys apart. */
  prefix: string;
  /** SHA-256 of the secret, hex; unique. */
  hash: string;
  created_at: CreatedAt;
  /** Exact to a minute; null: never used. */
  last_used_at: Date | null;
  /** null while the key works. */
  revoked_at: Date | null;
}

/** Signed-in browsers; rows past their expiry are swept. */
export interface SessionTable {
  /** SHA-256 of the session cookie's token, hex. */
  hash: string;
  /** The account that is signed in. */
  account_id: string;
  expires_at: Date;
}

/** The books. Rows are added and never changed; a trigger refuses that. */
export interface LedgerTable {
  /** Order within the account: given out under the account's lock. */
  position: GeneratedAlways<number>;
  /** What the interface calls the entry, unique. */
  id: string;
  /** The account whose books these are. */
  account_id: string;
  kind: LedgerKind;
  /** Signed change of the balance; 0 for reserve and release. */
  credits: number;
  /** Signed change of the credits that are held; 0 unless a job moves them. */
  reserved: number;
  /** Credits owned after this entry, at least 0. */
  balance: number;
  /** The job that moved the credits; null for grant, purchase and adjustment. */
  job_id: string | null;
  /** The operator's remark; null without one. */
  note: string | null;
  created_at: CreatedAt;
}

/** How many free uses were taken, by subject, day and tool. Rows older than a week are swept. */
export interface FreeUseTable {
  /** The account's id, or the keyed hash of the address. */
  subject: string;
  /** UTC day, "2026-11-21". */
  day: string;
  tool: ToolId;
  /** Uses taken that day, at least 0; those of jobs that failed or were cancelled are given back. */
  taken: number;
}

/** Runs of tools, from their order to their settlement. */
export interface JobTable {
  /** Made by the service, unique: "job_...". */
  id: string;
  /** null: nobody's, a visitor's free run. */
  account_id: string | null;
  /** Whose free uses count: the account's id, or the keyed hash of the address. */
  free_subject: string;
  /** UTC day of the order, "2026-11-21": a free use is given back to the day it came from. */
  free_day: string;
  tool: ToolId;
  status: Generated<JobStatus>;
  inputs: Json<Readonly<Record<string, readonly string[]>>>;
  options: Json<JsonObject>;
  /** A free use: price 0, and only the free part is processed. */
  free: boolean;
  /** Seconds that are processed at most; null: all. */
  window_seconds: number | null;
  /** Credits held until the job ends, then charged or released; 0 for a free run. */
  price: number;
  /** Length that was quoted, seconds; null for a job from before it was remembered. */
  billed_seconds: number | null;
  /** Credits per minute that the price was made with; null as above. */
  credits_per_minute: number | null;
  /** Seconds taken of the day's free budget, given back with the use; 0 for a paid run. */
  free_seconds: Generated<number>;
  /** Of the current attempt, 0 to 1. */
  progress: Generated<number>;
  /** The most that any attempt has reached, 0 to 1. */
  furthest: Generated<number>;
  stage: Generated<string>;
  /** Seconds, at least 0; null while there is too little to judge by, and whenever nothing runs. */
  estimated_seconds_left: number | null;
  /** Seconds of the input that were processed; null unless the job succeeded. */
  processed_seconds: number | null;
  /** What the tool answered besides files; null unless the job succeeded, and after the retention time. */
  result: JsonOrNull<JsonObject>;
  output_file_ids: Generated<string[]>;
  error: JsonOrNull<StoredError>;
  /** null unless the job succeeded. */
  warnings: JsonOrNull<readonly Warning[]>;
  cancel_requested: Generated<boolean>;
  /** Fencing token: how many times the job was started. Only the latest start may settle. */
  attempt: Generated<number>;
  /** Attempts that a worker gave back: they count for the fence, not against the limit. */
  given_back: Generated<number>;
  /** The worker that started it last; null before the first start and after a worker gave it back. */
  worker_id: string | null;
  /** Whose share of the workers the job uses: the account, or the visitor. */
  share_key: string;
  /** Turn in the line, from 1 on; see sharing.ts. */
  share_rank: number;
  created_at: CreatedAt;
  /** When it first started; null before. */
  started_at: Date | null;
  /** When it succeeded, failed or was cancelled; null before. */
  finished_at: Date | null;
}

/** Jobs that ran in a worker when it died. They go with their jobs. */
export interface WorkerDeathTable {
  /** The worker's own id: host, process and a random part. */
  worker_id: string;
  /** Not done yet when the worker died. */
  job_id: string;
  /** Other jobs ran in that worker, so that the attempt was not spent. */
  shared: boolean;
  noted_at: CreatedAt;
}

/**
 * Files that were brought in or made. null stands for what is not known yet, or does not apply to this kind of file.
 */
export interface FileTable {
  /** Made by the service, unique: "file_...". */
  id: string;
  /** null: nobody's, a free run's file. */
  account_id: string | null;
  /** Whose file it is where it is no account's: the keyed hash of the address; null otherwise. */
  visitor: string | null;
  kind: FileKind;
  status: FileStatus;
  /** The name that people gave it or a tool suggested, without folder. */
  filename: string;
  /** MIME type: as the client said, later as the check found. */
  content_type: string;
  /** null until the size is known. */
  size_bytes: number | null;
  /** Of the bytes, hex; null before they have arrived, and for what was uploaded in parts. */
  sha256: string | null;
  /** null for text and before the check. */
  duration_seconds: number | null;
  /** Container, such as "wav"; for text "json", "srt"; null before the check. */
  format: string | null;
  /** True for moving pictures; false before the check. */
  has_video: boolean;
  /** Is there a stream of sound? false before the check. */
  has_audio: boolean;
  media: JsonOrNull<MediaRecord>;
  error: JsonOrNull<StoredError>;
  /** null: no bytes are expected, or not before the file has a name and a size. */
  upload: JsonOrNull<UploadPlan>;
  /**
   * The object store's name for an upload in parts, from the first part on; not cleared when that has ended. null: no
   * part yet, no parts at all, or the store lost them.
   */
  upload_id: string | null;
  /** Where the bytes lie in the object store; null before they have arrived and after they are gone. */
  object_key: string | null;
  /** SHA-256 of the link it was imported from, hex; null unless imported. */
  import_hash: string | null;
  /** The job that made it; null for an original. */
  source_job_id: string | null;
  /** null: nobody has asked for a waveform yet. */
  peaks_status: PeaksStatus | null;
  peaks: JsonOrNull<FilePeaks>;
  /** Where the peaks' bins lie in the object store; null before they are drawn. */
  peaks_key: string | null;
  created_at: CreatedAt;
  expires_at: Date;
}

/** Receipts of the parts that have arrived, of uploads in parts. */
export interface FilePartTable {
  /** The file that the part belongs to. */
  file_id: string;
  /** Place in the whole, from 1 on. */
  number: number;
  size_bytes: number;
  /** The object store's mark of what arrived; '' for parts that were written before there were marks. */
  etag: string;
}

/** What a client's idempotency key made, so that a repeated request answers the same. */
export interface IdempotencyTable {
  /** Account id, or the visitor. */
  owner: string;
  /** One key may name a job and a file. */
  scope: 'job' | 'file';
  /** The client's own, from the Idempotency-Key header; of an import, made by the service. */
  key: string;
  /** SHA-256, hex, of the canonical request: the same key with another request is refused. */
  request_hash: string;
  /** Id of the job or file that was made. */
  target_id: string;
  created_at: CreatedAt;
}

/** Free seconds of all runs by day. Rows older than a week are swept. */
export interface FreeDayTable {
  /** UTC day, "2026-11-21". */
  day: string;
  /** Taken that day; those of runs that failed or were cancelled are given back. */
  seconds: Generated<number>;
}

/** Runs that the free API was asked for, until their links expire. */
export interface FreeRunTable {
  /** The id of its job, whether there is one or not (any more): "job_...". */
  id: string;
  /** The account of a request with a key; null: a visitor's. */
  account_id: string | null;
  /** Whose free uses count: the account's id, or the keyed hash of the address. */
  visitor: string;
  tool: ToolId;
  /** What was asked for, by file ids. */
  request: Json<FreeRunRequest>;
  status: FreeRunStatus;
  /** Why it was refused or waits; null otherwise. */
  error: JsonOrNull<ErrorJson>;
  /** Credits for the whole; null until the files are checked. */
  price: number | null;
  /** Length of the whole in the tool's measure, seconds; null as above. */
  billed_seconds: number | null;
  /** Credits per minute that the price was made with; null as above. */
  credits_per_minute: number | null;
  /** The account that paid credits went to; null until somebody has paid. */
  payer_account_id: string | null;
  /** Of all that was asked for, files by their bytes; null unless it waits. */
  content_hash: string | null;
  /** The job that runs the whole; null until it is paid. */
  finish_job_id: string | null;
  created_at: CreatedAt;
  expires_at: Date;
}

/** What people paid or were about to. Rows are kept: they are the other side of the ledger's purchases. */
export interface PaymentTable {
  /** Made by the service, unique: "pay_...". */
  id: string;
  provider: PaymentProviderId;
  /** The provider's own name of the checkout, unique; null: it has none (yet). */
  reference: string | null;
  /** The run that it finishes; null: it only buys credits. The run's row may be gone. */
  free_run_id: string | null;
  /** Who gets the credits; of a run that no account asked for, null until it is paid. */
  account_id: string | null;
  /** Of the run; null without one. */
  tool: ToolId | null;
  /** What was asked for: US cents, at least 1. */
  amount_cents: number;
  /** What was confirmed; 0 before. */
  paid_cents: Generated<number>;
  refunded_cents: Generated<number>;
  status: Generated<PaymentStatus>;
  /** What the payment did; null before. */
  outcome: PaymentOutcome | null;
  /** The job that it started; null: none. */
  job_id: string | null;
  /** null: no bank has asked for it back. */
  dispute: PaymentDispute | null;
  /** What a bank asks for; 0: nothing. */
  disputed_cents: Generated<number>;
  /** Credits that were taken from the account for that and not given back. */
  frozen_credits: Generated<number>;
  created_at: CreatedAt;
  /** null until it is confirmed. */
  paid_at: Date | null;
}

/** Small values that all processes share, such as the secret that visitors are counted by; made once, never changed. */
export interface SettingTable {
  /** Unique, such as "visitor_secret". */
  name: string;
  /** As it was first made. */
  value: string;
}

/** What links are signed with. The newest signs, the others are accepted for as long as what they signed. */
export interface TokenKeyTable {
  /** Letters and digits, unique; tokens carry it. */
  id: string;
  /** 256 random bits, base64url. */
  secret: string;
  made_at: Date;
}

/** Jobs of the older API: what only that interface knows of them. */
export interface LegacyJobTable {
  /** The id of its job, whether there is one or not. */
  id: string;
  /** Who pays, and may ask for it. */
  account_id: string;
  /** Its input; the file may have gone. */
  file_id: string;
  tool: ToolId;
  options: Json<JsonObject>;
  /** The container that the result must have and only its input's own can give; null: any. */
  own_format: string | null;
  /** Is its input fetched from a link? */
  from_link: boolean;
  /** Where the result is to be sent; null: nowhere, or it has been. */
  output_url: string | null;
  status: Generated<LegacyJobStatus>;
  /** null unless it failed. */
  error: JsonOrNull<StoredError>;
  created_at: Date;
  expires_at: Date;
}

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

/** The tables' types for Kysely. Checks, keys and triggers are in migrations/. */
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
/** The same, nullable. */
type JsonOrNull<Value> = ColumnType<Value | null, string | null | undefined, string | null>;

/** Accounts and their balances. */
export interface AccountTable {
  /** Made by the service, unique: "acc_...". */
  id: string;
  /** 1 to 200 characters; need not be unique. */
  name: string;
  balance: Generated<number>;
  reserved: Generated<number>;
  auto_refill: Json<AutoRefill>;
  /** OAuth subject of the account, unique; null: none. */
  oauth_subject: string | null;
  created_at: CreatedAt;
}

/** API keys. Their secrets are not stored. */
export interface ApiKeyTable {
  /** Made by the service, unique: "key_...". */
  id: string;
  /** The key's account. */
  account_id: string;
  /** Need not be unique. */
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

/** The ledger. Append-only, enforced by a trigger. */
export interface LedgerTable {
  /** Order within the account, assigned under the account's lock. */
  position: GeneratedAlways<number>;
  /** Public id of the entry, unique. */
  id: string;
  /** The entry's account. */
  account_id: string;
  kind: LedgerKind;
  /** Signed change of the balance; 0 for reserve and release. */
  credits: number;
  /** Signed change of the reserved credits; 0 without a job. */
  reserved: number;
  /** Credits owned after this entry, at least 0. */
  balance: number;
  /** The entry's job; null for grant, purchase and adjustment. */
  job_id: string | null;
  /** The operator's remark; null without one. */
  note: string | null;
  created_at: CreatedAt;
}

/** Free uses by subject, day and tool. Rows older than a week are deleted. */
export interface FreeUseTable {
  /** The account's id, or the keyed hash of the address. */
  subject: string;
  /** UTC day, "2026-11-21". */
  day: string;
  tool: ToolId;
  /** Uses on that day, at least 0; those of failed and cancelled jobs are returned. */
  taken: number;
}

/** Jobs, from their order to their settlement. */
export interface JobTable {
  /** Made by the service, unique: "job_...". */
  id: string;
  /** null: a visitor's free run. */
  account_id: string | null;
  /** The owner of the free uses: the account's id, or the keyed hash of the address. */
  free_subject: string;
  /** UTC day of the order, "2026-11-21": a free use is returned to this day. */
  free_day: string;
  tool: ToolId;
  status: Generated<JobStatus>;
  inputs: Json<Readonly<Record<string, readonly string[]>>>;
  options: Json<JsonObject>;
  /** A free use: price 0, and only the free part is processed. */
  free: boolean;
  /** Seconds to process at most; null: all. */
  window_seconds: number | null;
  /** Credits reserved until the job ends; 0 for a free run. */
  price: number;
  /** Billed length, seconds; null for jobs of older versions. */
  billed_seconds: number | null;
  /** Credits per minute that the price was made with; null as above. */
  credits_per_minute: number | null;
  /** Seconds of the day's free budget, returned with the use; 0 for a paid run. */
  free_seconds: Generated<number>;
  /** Progress of the current attempt, 0 to 1. */
  progress: Generated<number>;
  /** Highest progress of all attempts, 0 to 1. */
  furthest: Generated<number>;
  stage: Generated<string>;
  /** Seconds, at least 0; null while unknown and when the job is not running. */
  estimated_seconds_left: number | null;
  /** Seconds of the input that were processed; null unless the job succeeded. */
  processed_seconds: number | null;
  /** The tool's result besides its files; null unless the job succeeded, and after the retention time. */
  result: JsonOrNull<JsonObject>;
  output_file_ids: Generated<string[]>;
  error: JsonOrNull<StoredError>;
  /** null unless the job succeeded. */
  warnings: JsonOrNull<readonly Warning[]>;
  cancel_requested: Generated<boolean>;
  /** Fencing token: number of starts. Only the latest attempt may settle. */
  attempt: Generated<number>;
  /** Requeued attempts, which do not count towards the limit. */
  given_back: Generated<number>;
  /** The worker that started it last; null before the first start and after requeueing. */
  worker_id: string | null;
  /** The owner whose share of the workers the job uses: the account, or the visitor. */
  share_key: string;
  /** Position in the fair queue, from 1 on; see sharing.ts. */
  share_rank: number;
  created_at: CreatedAt;
  /** Time of the first start; null before. */
  started_at: Date | null;
  /** Time of its end; null before. */
  finished_at: Date | null;
}

/** Jobs that were running in a worker when it died. Deleted with the jobs. */
export interface WorkerDeathTable {
  /** The worker's own id: host, process and a random part. */
  worker_id: string;
  /** The job that was running. */
  job_id: string;
  /** Were other jobs running in that worker, so that the attempt does not count? */
  shared: boolean;
  noted_at: CreatedAt;
}

/**
 * Uploaded files and outputs. null: not known yet, or does not apply to this kind of file.
 */
export interface FileTable {
  /** Made by the service, unique: "file_...". */
  id: string;
  /** null: the file of a visitor's free run. */
  account_id: string | null;
  /** The visitor that owns it, for files without an account: the keyed hash of the address. */
  visitor: string | null;
  kind: FileKind;
  status: FileStatus;
  /** As given by the client or suggested by a tool, without folders. */
  filename: string;
  /** MIME type: from the client, later from the check. */
  content_type: string;
  /** null until the size is known. */
  size_bytes: number | null;
  /** SHA-256 of the bytes, hex; null before they have arrived, and for multipart uploads. */
  sha256: string | null;
  /** null for text and before the check. */
  duration_seconds: number | null;
  /** Container, such as "wav"; for text "json", "srt"; null before the check. */
  format: string | null;
  /** Has it a video stream? false before the check. */
  has_video: boolean;
  /** Has it an audio stream? false before the check. */
  has_audio: boolean;
  media: JsonOrNull<MediaRecord>;
  error: JsonOrNull<StoredError>;
  /** null: no upload is expected (yet). */
  upload: JsonOrNull<UploadPlan>;
  /**
   * The object store's id of the multipart upload, from the first part on; not cleared at its end. null: no part has
   * arrived, it is not a multipart upload, or the store lost it.
   */
  upload_id: string | null;
  /** Key of the bytes in the object store; null before they have arrived and after their deletion. */
  object_key: string | null;
  /** SHA-256 of the imported link, hex; null unless imported. */
  import_hash: string | null;
  /** The job that created it; null for an original. */
  source_job_id: string | null;
  /** null: not requested yet. */
  peaks_status: PeaksStatus | null;
  peaks: JsonOrNull<FilePeaks>;
  /** Key of the peaks' bins in the object store; null before they are made. */
  peaks_key: string | null;
  created_at: CreatedAt;
  expires_at: Date;
}

/** Receipts of the parts of multipart uploads. */
export interface FilePartTable {
  /** The part's file. */
  file_id: string;
  /** Part number, from 1 on. */
  number: number;
  size_bytes: number;
  /** The object store's etag; '' for parts written by older versions. */
  etag: string;
}

/** Idempotency keys with the ids that they created. */
export interface IdempotencyTable {
  /** Account id, or the visitor. */
  owner: string;
  /** The same key may be used for a job and for a file. */
  scope: 'job' | 'file';
  /** The client's own, from the Idempotency-Key header; for imports, made by the service. */
  key: string;
  /** SHA-256, hex, of the canonical request; the same key with another request is refused. */
  request_hash: string;
  /** Id of the created job or file. */
  target_id: string;
  created_at: CreatedAt;
}

/** Free seconds of all runs by day. Rows older than a week are deleted. */
export interface FreeDayTable {
  /** UTC day, "2026-11-21". */
  day: string;
  /** Used on that day; those of failed and cancelled runs are returned. */
  seconds: Generated<number>;
}

/** Runs of the free API, until their links expire. */
export interface FreeRunTable {
  /** Also the id of its job, if one was created: "job_...". */
  id: string;
  /** null: a visitor's run. */
  account_id: string | null;
  /** The owner of the free uses: the account's id, or the keyed hash of the address. */
  visitor: string;
  tool: ToolId;
  /** The request, with file ids. */
  request: Json<FreeRunRequest>;
  status: FreeRunStatus;
  /** Why it was refused or waits for a payment; null otherwise. */
  error: JsonOrNull<ErrorJson>;
  /** Price of the whole files in credits; null until they are checked. */
  price: number | null;
  /** Billed length of the whole files, seconds; null as above. */
  billed_seconds: number | null;
  /** Credits per minute that the price was made with; null as above. */
  credits_per_minute: number | null;
  /** The account of the payer; null until it is paid. */
  payer_account_id: string | null;
  /** Hash of the request with its files by content; null unless it waits. */
  content_hash: string | null;
  /** The job that processes the whole files; null until it is paid. */
  finish_job_id: string | null;
  created_at: CreatedAt;
  expires_at: Date;
}

/** Payments. Rows are kept: they document the ledger's purchases. */
export interface PaymentTable {
  /** Made by the service, unique: "pay_...". */
  id: string;
  provider: PaymentProviderId;
  /** The provider's own id of the checkout, unique; null: none (yet). */
  reference: string | null;
  /** The run that it finishes; null: it only buys credits. The run's row may be deleted. */
  free_run_id: string | null;
  /** The account that gets the credits; null until a visitor has paid. */
  account_id: string | null;
  /** Of the run; null without one. */
  tool: ToolId | null;
  /** The amount requested: US cents, at least 1. */
  amount_cents: number;
  /** The amount confirmed: US cents; 0 before. */
  paid_cents: Generated<number>;
  refunded_cents: Generated<number>;
  status: Generated<PaymentStatus>;
  /** The effect of the payment; null before. */
  outcome: PaymentOutcome | null;
  /** The job that it started; null: none. */
  job_id: string | null;
  /** null: no dispute. */
  dispute: PaymentDispute | null;
  /** The disputed amount: US cents; 0 without a dispute. */
  disputed_cents: Generated<number>;
  /** Credits taken from the account because of the dispute. */
  frozen_credits: Generated<number>;
  created_at: CreatedAt;
  /** null until it is confirmed. */
  paid_at: Date | null;
}

/** Small values shared by all processes, such as the secret of visitors' hashes. Never changed. */
export interface SettingTable {
  /** Unique, such as "visitor_secret". */
  name: string;
  /** The value, set once. */
  value: string;
}

/** Keys that sign links. The newest one signs; the others are accepted until their links have expired. */
export interface TokenKeyTable {
  /** Letters and digits, unique; part of the tokens. */
  id: string;
  /** 256 random bits, base64url. */
  secret: string;
  made_at: Date;
}

/** Jobs of the older API: the fields of that interface. */
export interface LegacyJobTable {
  /** Also the id of its job, if one was created. */
  id: string;
  /** The account that pays for it and may read it. */
  account_id: string;
  /** Its input; the file may be deleted. */
  file_id: string;
  tool: ToolId;
  options: Json<JsonObject>;
  /** Required output format that the tool writes only for inputs of the same format; null: any. */
  own_format: string | null;
  /** Is the input fetched from a link? */
  from_link: boolean;
  /** Where to send the result; null: nowhere, or it was sent. */
  output_url: string | null;
  status: Generated<LegacyJobStatus>;
  /** null unless it failed. */
  error: JsonOrNull<StoredError>;
  created_at: Date;
  expires_at: Date;
}

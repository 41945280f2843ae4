import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { JsonObject } from '../../core/json.ts';
import type { ToolId } from '../../contract/tool-ids.ts';
import type { FilePeaks, MediaRecord } from '../../contract/media-work.ts';
import type {
  AutoRefill,
  FileKind,
  FileStatus,
  JobStatus,
  LedgerKind,
  PeaksStatus,
  StoredError,
  UploadPlan,
} from '../../service/records.ts';

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
  settings: SettingTable;
}

/** Set by the database: clock_timestamp() at the insert. */
type CreatedAt = Generated<Date>;
/** Read as values, written as JSON text, so that arrays do not become PostgreSQL arrays. */
type Json<Value> = ColumnType<Value, string, string>;
type JsonOrNull<Value> = ColumnType<Value | null, string | null | undefined, string | null>;

export interface AccountTable {
  id: string;
  name: string;
  balance: Generated<number>;
  reserved: Generated<number>;
  auto_refill: Json<AutoRefill>;
  oauth_subject: string | null;
  created_at: CreatedAt;
}

export interface ApiKeyTable {
  id: string;
  account_id: string;
  name: string;
  prefix: string;
  hash: string;
  created_at: CreatedAt;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

export interface SessionTable {
  hash: string;
  account_id: string;
  expires_at: Date;
}

export interface LedgerTable {
  /** Order within the account: given out under the account's lock. */
  position: GeneratedAlways<number>;
  id: string;
  account_id: string;
  kind: LedgerKind;
  credits: number;
  reserved: number;
  balance: number;
  job_id: string | null;
  note: string | null;
  created_at: CreatedAt;
}

export interface FreeUseTable {
  subject: string;
  day: string;
  tool: ToolId;
  taken: number;
}

export interface JobTable {
  id: string;
  account_id: string | null;
  free_subject: string;
  free_day: string;
  tool: ToolId;
  status: Generated<JobStatus>;
  inputs: Json<Readonly<Record<string, readonly string[]>>>;
  options: Json<JsonObject>;
  free: boolean;
  window_seconds: number | null;
  price: number;
  progress: Generated<number>;
  stage: Generated<string>;
  estimated_seconds_left: number | null;
  processed_seconds: number | null;
  result: JsonOrNull<JsonObject>;
  output_file_ids: Generated<string[]>;
  error: JsonOrNull<StoredError>;
  cancel_requested: Generated<boolean>;
  attempt: Generated<number>;
  /** Attempts that a worker gave back: they count for the fence, not against the limit. */
  given_back: Generated<number>;
  worker_id: string | null;
  /** Whose share of the workers the job uses: the account, or the visitor. */
  share_key: string;
  /** Turn in the line; see sharing.ts. */
  share_rank: number;
  created_at: CreatedAt;
  started_at: Date | null;
  finished_at: Date | null;
}

export interface FileTable {
  id: string;
  account_id: string | null;
  kind: FileKind;
  status: FileStatus;
  filename: string;
  content_type: string;
  size_bytes: number | null;
  sha256: string | null;
  duration_seconds: number | null;
  format: string | null;
  has_video: boolean;
  has_audio: boolean;
  media: JsonOrNull<MediaRecord>;
  error: JsonOrNull<StoredError>;
  upload: JsonOrNull<UploadPlan>;
  upload_id: string | null;
  object_key: string | null;
  import_hash: string | null;
  source_job_id: string | null;
  peaks_status: PeaksStatus | null;
  peaks: JsonOrNull<FilePeaks>;
  peaks_key: string | null;
  created_at: CreatedAt;
  expires_at: Date;
}

export interface FilePartTable {
  file_id: string;
  number: number;
  size_bytes: number;
  etag: string;
}

export interface IdempotencyTable {
  /** Account id, or the visitor. */
  owner: string;
  scope: 'job' | 'file';
  key: string;
  request_hash: string;
  target_id: string;
  created_at: CreatedAt;
}

export interface SettingTable {
  name: string;
  value: string;
}

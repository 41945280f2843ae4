import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { ErrorJson } from '../../../../library/core/errors/errors.ts';
import type { JsonObject, JsonValue } from '../../../../library/core/json.ts';
import type { Warning } from '../../../../library/core/progress/progress.ts';
import type { ToolId } from '../../../../library/contract/tool-ids.ts';
import type { FilePeaks, MediaRecord } from '../../../../library/contract/media-work.ts';
import type { LostAttempts } from '../../../rules/jobs/attempt-ends.ts';
import type { NoteKind } from '../../../rules/accounts/account-notes.ts';
import type { Account, ApiKey, Language } from '../../../rules/accounts/account.ts';
import type { AutoRefill } from '../../../rules/money/auto-refill.ts';
import type { JobStatus, StepWriting, StoredJob } from '../../../rules/jobs/stored-job.ts';
import type { LedgerEntry } from '../../../rules/money/ledger.ts';
import type { StoredError } from '../../../rules/shared/stored-error.ts';
import type { StoredFile, UploadPlan } from '../../../rules/files/stored-file.ts';
import type { FreeRun, FreeRunRequest } from '../../../rules/free-runs/free-run-store.ts';
import type { LegacyJob, LegacyJobStatus } from '../../../rules/legacy-jobs/legacy-job-store.ts';
import type { Payment, PaymentStatus, StoredDispute } from '../../../rules/money/payment-store.ts';
import type {
  AddressChange,
  OneTimeData,
  OneTimePurpose,
  SessionMethod,
  StoredPasskey,
} from '../../../rules/accounts/sign-in-store.ts';
import type { VoicePrint } from '../../../../library/contract/voice-print.ts';
import type { TimeRange } from '../../../../library/core/time-range.ts';
import type { AccountVoice, NewVoice } from '../../../rules/voices/voice-store.ts';
import type { ChainPlan, StoredChain } from '../../../rules/chains/stored-chain.ts';
import type { EditVersion, StoredEdit } from '../../../rules/edits/edit-store.ts';
import type { SharedSentence, StoredComment, StoredShare } from '../../../rules/edits/share-store.ts';
import type { ProgramRecord } from '../../../rules/accounts/program-store.ts';
import type { CreatedAt, Json, JsonOrNull, TableOf } from './columns.ts';
import type {
  ArrivingUploadTable,
  HeldInputTable,
  RateWindowTable,
  RunnerRunTable,
  RunnerTable,
  HousekeepingRoundTable,
  EndedJobsTable,
  TallyTable,
  LeaderTable,
  TaskLeaseTable,
  WorkerDeathTable,
  WorkerTable,
} from './fleet-schema.ts';
import type { WebhookDeliveryTable, WebhookEndpointTable } from './webhook-schema.ts';

/** The tables' types for Kysely. Checks, keys and triggers are in migrations/. */
export interface Tables {
  accounts: AccountTable;
  api_keys: ApiKeyTable;
  sessions: SessionTable;
  one_time_tokens: OneTimeTokenTable;
  passkeys: PasskeyTable;
  known_browsers: KnownBrowserTable;
  address_changes: AddressChangeTable;
  ledger: LedgerTable;
  free_uses: FreeUseTable;
  jobs: JobTable;
  chains: ChainTable;
  chain_presets: ChainPresetTable;
  account_notes: AccountNoteTable;
  voices: VoiceTable;
  voice_references: VoiceReferenceTable;
  files: FileTable;
  file_parts: FilePartTable;
  idempotency: IdempotencyTable;
  free_days: FreeDayTable;
  free_runs: FreeRunTable;
  payments: PaymentTable;
  payment_disputes: PaymentDisputeTable;
  legacy_jobs: LegacyJobTable;
  settings: SettingTable;
  token_keys: TokenKeyTable;
  worker_deaths: WorkerDeathTable;
  workers: WorkerTable;
  task_leases: TaskLeaseTable;
  leader: LeaderTable;
  housekeeping_rounds: HousekeepingRoundTable;
  ended_jobs: EndedJobsTable;
  tallies: TallyTable;
  runners: RunnerTable;
  runner_runs: RunnerRunTable;
  rate_windows: RateWindowTable;
  arriving_uploads: ArrivingUploadTable;
  edits: EditTable;
  edit_versions: EditVersionTable;
  edit_shares: EditShareTable;
  edit_comments: EditCommentTable;
  held_inputs: HeldInputTable;
  finished_parts: FinishedPartTable;
  program_records: ProgramRecordTable;
  program_keys: TokenKeyTable;
  webhook_endpoints: WebhookEndpointTable;
  webhook_deliveries: WebhookDeliveryTable;
}

/** Accounts and their balances. */
export type AccountTable = TableOf<
  Account,
  {
    balance: Generated<number>;
    reserved: Generated<number>;
    autoRefill: Json<AutoRefill>;
    /** In lower case, unique; null: none. */
    email: string | null;
    operator: Generated<boolean>;
    language: Generated<Language>;
    /** When the account was deleted; its row and ledger stay. null: not deleted. */
    deletedAt: Date | null;
    blockedAt: Generated<Date | null>;
    blockedFor: Generated<string | null>;
    createdAt: CreatedAt;
  }
>;

/** API keys. Their secrets are not stored. */
export type ApiKeyTable = TableOf<
  ApiKey,
  {
    /** SHA-256 of the secret, hex; unique. */
    hash: string;
    createdAt: CreatedAt;
  }
>;

/** Signed-in browsers; rows past their expiry are swept. */
export interface SessionTable {
  /** SHA-256 of the session cookie's token, hex. */
  hash: string;
  /** The account that is signed in. */
  accountId: string;
  expiresAt: Date;
  /** Public id, unique: "ses_...". */
  id: Generated<string>;
  createdAt: CreatedAt;
  /** Accurate to a few minutes. */
  seenAt: Generated<Date>;
  /** Without use for this long, it ends; null: it ends at `expiresAt`. */
  idleSeconds: number | null;
  method: Generated<SessionMethod>;
  /** Browser and system, such as "Firefox on Linux"; '': not known. */
  device: Generated<string>;
}

/** Sign-in links and challenges of passkeys. Using one deletes its row. */
export interface OneTimeTokenTable {
  /** SHA-256 of the token, hex. */
  hash: string;
  purpose: OneTimePurpose;
  /** Address that it was requested for, to limit their number; null: no limit. */
  subject: string | null;
  data: Json<OneTimeData>;
  /** Codes that were typed for it. */
  tries: Generated<number>;
  createdAt: CreatedAt;
  expiresAt: Date;
}

/** Browsers that have signed in to an account. */
interface KnownBrowserTable {
  /** SHA-256 of the secret in the browser's cookie, hex. */
  hash: string;
  /** The account that it signed in to. */
  accountId: string;
  /** The latest sign-in. */
  seenAt: Date;
}

/** Changes of addresses that can still be undone. The old address is reserved for its account until then. */
export type AddressChangeTable = AddressChange;

/** Passkeys of accounts. */
export type PasskeyTable = TableOf<
  StoredPasskey,
  {
    /** How the browser reaches the device, such as "internal" or "usb". */
    transports: string[];
    createdAt: CreatedAt;
  }
>;

/** The ledger. Append-only, enforced by a trigger. */
export type LedgerTable = TableOf<
  LedgerEntry,
  {
    /** Order within the account, assigned under the account's lock. */
    position: GeneratedAlways<number>;
    paymentId: ColumnType<string | null, string | null | undefined>;
    disputeId: ColumnType<string | null, string | null | undefined>;
    createdAt: CreatedAt;
  }
>;

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
export type JobTable = TableOf<
  Omit<StoredJob, 'billing'>,
  {
    /** The owner of the free uses: the account's id, or the keyed hash of the address. */
    freeSubject: string;
    /** UTC day of the order, "2026-11-21": a free use is returned to this day. */
    freeDay: string;
    status: Generated<JobStatus>;
    inputs: Json<StoredJob['inputs']>;
    options: Json<JsonObject>;
    /** Billed length, seconds; null for jobs of older versions. */
    billedSeconds: number | null;
    /** Credits per minute that the price was made with; null as above. */
    creditsPerMinute: number | null;
    /** Seconds of the day's free budget, returned with the use; 0 for a paid run. */
    freeSeconds: Generated<number>;
    progress: Generated<number>;
    /** Highest progress of all attempts, 0 to 1. */
    furthest: Generated<number>;
    stage: Generated<string>;
    result: JsonOrNull<JsonObject>;
    outputFileIds: Generated<string[]>;
    error: JsonOrNull<StoredError>;
    /** null unless the job succeeded; the record has none then. */
    warnings: JsonOrNull<readonly Warning[]>;
    cancelRequested: Generated<boolean>;
    attempt: Generated<number>;
    /** Requeued attempts, which do not count towards the limit. */
    givenBack: Generated<number>;
    /** Attempts that ended without its fault; all of them were given back, too. */
    lostAttempts: ColumnType<LostAttempts, string | undefined, string>;
    /** Since when machines hand it back that lack something for it; null: none did. */
    unfitSince: Date | null;
    /** The worker that started it last; null before the first start and after requeueing. */
    workerId: string | null;
    /** The owner whose share of the workers the job uses: the account, or the visitor. */
    shareKey: string;
    /** Position in the fair queue, from 1 on; see sharing.ts. */
    shareRank: number;
    /** Version of the process that took the order; null: of an older version. */
    promisedVersion: string | null;
    /** Ids of its models; null as above. */
    promisedModels: string[] | null;
    /** What ran it last; null before the first start. */
    build: string | null;
    /** Ids of the models there; null as above. */
    models: string[] | null;
    chainId: ColumnType<string | null, string | null | undefined>;
    /** Index of the step in its chain, from 0; null: no step. */
    chainStep: ColumnType<number | null, number | null | undefined>;
    /** Index among the jobs of the step, from 0; null as above. */
    chainRun: ColumnType<number | null, number | null | undefined>;
    writes: JsonOrNull<StepWriting>;
    createdAt: CreatedAt;
  }
>;

/** Chains of jobs, from their order to their settlement. */
export type ChainTable = TableOf<
  StoredChain,
  {
    status: Generated<StoredChain['status']>;
    plan: Json<ChainPlan>;
    charged: ColumnType<number | null, undefined, number | null>;
    cancelRequested: Generated<boolean>;
    error: JsonOrNull<StoredError>;
    failedStep: ColumnType<string | null, undefined, string | null>;
    outputFileIds: Generated<string[]>;
    createdAt: CreatedAt;
    finishedAt: ColumnType<Date | null, undefined, Date | null>;
  }
>;

/** Voices of accounts: personal data, which goes at once when it is deleted. */
export type VoiceTable = TableOf<
  Omit<AccountVoice, 'seconds'> & Pick<NewVoice, 'fileId'>,
  {
    ranges: JsonOrNull<readonly TimeRange[]>;
    /** null: not made. */
    print: JsonOrNull<VoicePrint>;
    error: JsonOrNull<StoredError>;
    createdAt: CreatedAt;
  }
>;

/** People who are to be named in one job: personal data, which goes when the job ends. */
export interface VoiceReferenceTable {
  /** Also the id of its job. */
  readonly runId: string;
  /** In the order of the request, from 0. */
  readonly place: number;
  /** Of the person, see `checkVoiceName`. */
  readonly name: string;
  /** A media file. */
  readonly sound: Buffer;
}

/** What the website keeps for accounts. */
export interface AccountNoteTable {
  /** Whose it is. */
  accountId: string;
  kind: NoteKind;
  /** Unique with account and kind. */
  name: string;
  /** As the script of the page made it. */
  value: Json<JsonObject>;
  savedAt: ColumnType<Date, never, Date>;
}

/** Chains that accounts saved with a name. */
export interface ChainPresetTable {
  /** Whose it is. */
  accountId: string;
  /** By which the account runs it. */
  name: string;
  /** As data (docs/chains.md). */
  chain: Json<JsonObject>;
  createdAt: CreatedAt;
}

/**
 * Uploaded files and outputs. null: not known yet, or does not apply to this kind of file.
 */
export type FileTable = TableOf<
  StoredFile,
  {
    /** null: the file of an account. */
    visitor: string | null;
    media: JsonOrNull<MediaRecord>;
    error: JsonOrNull<StoredError>;
    upload: JsonOrNull<UploadPlan>;
    peaks: JsonOrNull<FilePeaks>;
  }
>;

/** Receipts of the parts of multipart uploads. */
export interface FilePartTable {
  /** The part's file. */
  fileId: string;
  /** Part number, from 1 on. */
  number: number;
  sizeBytes: number;
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
  requestHash: string;
  /** Id of the created job or file. */
  targetId: string;
  createdAt: CreatedAt;
}

/** Free seconds of all runs by day. Rows older than a week are deleted. */
export interface FreeDayTable {
  /** UTC day, "2026-11-21". */
  day: string;
  /** Used on that day; those of failed and cancelled runs are returned. */
  seconds: Generated<number>;
}

/** Runs of the free API, until their links expire. */
export type FreeRunTable = TableOf<
  Omit<FreeRun, 'whole'>,
  {
    request: Json<FreeRunRequest>;
    error: JsonOrNull<ErrorJson>;
    /** Price of the whole files in credits; null until they are checked. */
    price: number | null;
    /** Billed length of the whole files, seconds; null as above. */
    billedSeconds: number | null;
    /** Credits per minute that the price was made with; null as above. */
    creditsPerMinute: number | null;
    /** Hash of the request with its files by content; null unless it waits. */
    contentHash: string | null;
    createdAt: CreatedAt;
  }
>;

/** Payments. Rows are kept: they document the ledger's purchases. */
export type PaymentTable = TableOf<
  Payment,
  {
    paidCents: Generated<number>;
    refundedCents: Generated<number>;
    status: Generated<PaymentStatus>;
    /** Of open and lost disputes, US cents: read by the release before, which knows one dispute of a payment. */
    disputedCents: Generated<number>;
    frozenCredits: Generated<number>;
    automatic: Generated<boolean>;
    createdAt: CreatedAt;
  }
>;

/** Disputes of payments. Rows are kept, like those of payments. */
export type PaymentDisputeTable = TableOf<
  StoredDispute,
  {
    /** The payment that is disputed. */
    paymentId: string;
    createdAt: CreatedAt;
  }
>;

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
  madeAt: Date;
}

/** Clients, grants, codes and tokens of the authorization server. */
export type ProgramRecordTable = TableOf<
  Omit<ProgramRecord, 'seconds'>,
  {
    payload: Json<object>;
    createdAt: CreatedAt;
    /** By the database's clock. Rows past it are swept. */
    expiresAt: Date;
    /** Codes and tokens: when used up; clients: first use; grants: last use. null: not yet. */
    usedAt: ColumnType<Date | null, Date | null | undefined>;
  }
>;

/** Jobs of the older API: the fields of that interface. */
export type LegacyJobTable = TableOf<
  LegacyJob,
  {
    options: Json<JsonObject>;
    status: Generated<LegacyJobStatus>;
    error: JsonOrNull<StoredError>;
    /** The smallest number of jobs before it that was told; null: none was told yet. */
    jobsAhead: number | null;
  }
>;

/** What people made of recordings by their words. */
export type EditTable = TableOf<
  StoredEdit,
  {
    state: Json<JsonObject>;
    /** null: an earlier release has saved the edit. */
    history: Json<JsonValue> | null;
    /** Of the edit that the history leads to, from 1; null: an earlier release has made the row. */
    historyVersion: number | null;
    savedAt: Generated<Date>;
  }
>;

/** Edits of recordings by a name, beside the one that goes on. */
export type EditVersionTable = TableOf<EditVersion, { state: Json<JsonObject>; savedAt: Generated<Date> }>;

/** Texts of edits that others may read by a link. */
export type EditShareTable = TableOf<
  StoredShare,
  { sentences: Json<readonly SharedSentence[]>; madeAt: Generated<Date> }
>;

/** What readers say of shared texts. */
export type EditCommentTable = TableOf<StoredComment, { madeAt: Generated<Date> }>;

/** What the attempts of a job have finished, until it ends. */
export interface FinishedPartTable {
  /** Id of a job that was handed back and has not ended. */
  readonly jobId: string;
  /** A list of `FinishedPart`s as JSON in gzip form, at most 8 MiB unpacked. */
  readonly parts: Buffer;
  readonly createdAt: CreatedAt;
}

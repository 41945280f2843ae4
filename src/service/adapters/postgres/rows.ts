import type { Insertable, Selectable, Updateable } from 'kysely';
import type { FilePatch, NewFile } from '../../rules/ports.ts';
import type { FreeRun } from '../../rules/free-run-store.ts';
import type { LegacyJob } from '../../rules/legacy-job-store.ts';
import type { Payment } from '../../rules/payment-store.ts';
import type { Account, ApiKey, JobSummary, LedgerEntry, StoredFile, StoredJob } from '../../rules/records.ts';
import type {
  AccountTable,
  ApiKeyTable,
  FileTable,
  FreeRunTable,
  JobTable,
  LegacyJobTable,
  LedgerTable,
  PaymentTable,
} from './schema.ts';

/** Maps rows to records and back. */

export function toAccount(row: Selectable<AccountTable>): Account {
  return {
    id: row.id,
    name: row.name,
    balance: row.balance,
    reserved: row.reserved,
    autoRefill: row.auto_refill,
    oauthSubject: row.oauth_subject,
    createdAt: row.created_at,
  };
}

export function toApiKey(row: Selectable<ApiKeyTable>): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.prefix,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

export function toLedgerEntry(row: Selectable<LedgerTable>): LedgerEntry {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    credits: row.credits,
    reserved: row.reserved,
    balance: row.balance,
    jobId: row.job_id,
    note: row.note,
    createdAt: row.created_at,
  };
}

/** Columns of a JobSummary. */
export const summaryColumns = [
  'id',
  'account_id',
  'tool',
  'status',
  'free',
  'price',
  'progress',
  'stage',
  'estimated_seconds_left',
  'processed_seconds',
  'result',
  'output_file_ids',
  'error',
  'warnings',
  'created_at',
] as const satisfies readonly (keyof JobTable)[];

export function toJobSummary(row: Pick<Selectable<JobTable>, (typeof summaryColumns)[number]>): JobSummary {
  return {
    id: row.id,
    accountId: row.account_id,
    tool: row.tool,
    status: row.status,
    free: row.free,
    price: row.price,
    progress: row.progress,
    stage: row.stage,
    estimatedSecondsLeft: row.estimated_seconds_left,
    processedSeconds: row.processed_seconds,
    result: row.result,
    outputFileIds: row.output_file_ids,
    error: row.error,
    warnings: row.warnings ?? [],
    createdAt: row.created_at,
  };
}

export function toJob(row: Selectable<JobTable>): StoredJob {
  return {
    ...toJobSummary(row),
    inputs: row.inputs,
    options: row.options,
    windowSeconds: row.window_seconds,
    billing:
      row.billed_seconds === null || row.credits_per_minute === null
        ? null
        : { seconds: row.billed_seconds, creditsPerMinute: row.credits_per_minute },
    cancelRequested: row.cancel_requested,
    attempt: row.attempt,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

export function toFile(row: Selectable<FileTable>): StoredFile {
  return {
    id: row.id,
    accountId: row.account_id,
    ...(row.visitor === null ? {} : { visitor: row.visitor }),
    kind: row.kind,
    status: row.status,
    filename: row.filename,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    durationSeconds: row.duration_seconds,
    format: row.format,
    hasVideo: row.has_video,
    hasAudio: row.has_audio,
    media: row.media,
    error: row.error,
    upload: row.upload,
    uploadId: row.upload_id,
    objectKey: row.object_key,
    importHash: row.import_hash,
    sourceJobId: row.source_job_id,
    peaksStatus: row.peaks_status,
    peaks: row.peaks,
    peaksKey: row.peaks_key,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

export function toFreeRun(row: Selectable<FreeRunTable>): FreeRun {
  const { price, billed_seconds: seconds, credits_per_minute: creditsPerMinute } = row;
  return {
    id: row.id,
    accountId: row.account_id,
    visitor: row.visitor,
    tool: row.tool,
    request: row.request,
    status: row.status,
    error: row.error,
    whole:
      price === null || seconds === null || creditsPerMinute === null
        ? null
        : { credits: price, billing: { seconds, creditsPerMinute } },
    payerAccountId: row.payer_account_id,
    finishJobId: row.finish_job_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

export function toPayment(row: Selectable<PaymentTable>): Payment {
  return {
    id: row.id,
    provider: row.provider,
    reference: row.reference,
    freeRunId: row.free_run_id,
    accountId: row.account_id,
    tool: row.tool,
    amountCents: row.amount_cents,
    paidCents: row.paid_cents,
    refundedCents: row.refunded_cents,
    status: row.status,
    outcome: row.outcome,
    jobId: row.job_id,
    dispute: row.dispute,
    frozenCredits: row.frozen_credits,
    createdAt: row.created_at,
    paidAt: row.paid_at,
  };
}

export function toLegacyJob(row: Selectable<LegacyJobTable>): LegacyJob {
  return {
    id: row.id,
    accountId: row.account_id,
    fileId: row.file_id,
    tool: row.tool,
    options: row.options,
    ownFormat: row.own_format,
    fromLink: row.from_link,
    outputUrl: row.output_url,
    status: row.status,
    error: row.error,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

export function fromNewFile(file: NewFile): Insertable<FileTable> {
  return {
    id: file.id,
    account_id: file.accountId,
    visitor: file.visitor ?? null,
    kind: file.kind,
    status: file.status,
    filename: file.filename,
    content_type: file.contentType,
    size_bytes: file.sizeBytes,
    sha256: file.sha256,
    duration_seconds: file.durationSeconds,
    format: file.format,
    has_video: file.hasVideo,
    has_audio: file.hasAudio,
    media: json(file.media),
    upload: json(file.upload),
    object_key: file.objectKey,
    import_hash: file.importHash,
    source_job_id: file.sourceJobId,
    created_at: file.createdAt,
    expires_at: file.expiresAt,
  };
}

const columns = {
  status: 'status',
  filename: 'filename',
  contentType: 'content_type',
  sizeBytes: 'size_bytes',
  sha256: 'sha256',
  durationSeconds: 'duration_seconds',
  format: 'format',
  hasVideo: 'has_video',
  hasAudio: 'has_audio',
  media: 'media',
  error: 'error',
  upload: 'upload',
  objectKey: 'object_key',
  importHash: 'import_hash',
  sourceJobId: 'source_job_id',
  peaksStatus: 'peaks_status',
  peaks: 'peaks',
  peaksKey: 'peaks_key',
  expiresAt: 'expires_at',
} as const satisfies Record<keyof FilePatch, keyof FileTable>;

const jsonFields: ReadonlySet<string> = new Set(['media', 'error', 'upload', 'peaks']);

/** Only the fields that are set; undefined counts as not set. */
export function fromFilePatch(patch: FilePatch): Updateable<FileTable> {
  const named = Object.entries(patch).filter(([, value]) => value !== undefined) as [keyof FilePatch, unknown][];
  return Object.fromEntries(
    named.map(([field, value]) => [columns[field], jsonFields.has(field) ? json(value) : value]),
  );
}

import type { Static } from 'typebox/type';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { Page, PageRequest } from '../../rules/shared/page.ts';
import type { Account } from '../../rules/accounts/account.ts';
import type { LedgerEntry } from '../../rules/money/ledger.ts';
import type { StoredFile } from '../../rules/files/stored-file.ts';
import type { AccountView } from '../../rules/accounts/accounts.ts';
import type { JobView } from '../../rules/jobs/jobs.ts';
import type { PeaksView } from '../../rules/files/peaks.ts';
import type { Tools } from '../../rules/jobs/tools.ts';
import type { UploadInstructions } from '../../rules/files/upload-tickets.ts';
import type {
  AccountSchema,
  AutoRefillSchema,
  FileRecord,
  JobRecord,
  LedgerEntrySchema,
  MultipartSchema,
  PeaksSchema,
  UploadSchema,
} from './schemas.ts';

/** Maps the service's records to the shapes of the interface; all fields are always present. */

type Prices = Pick<Tools, 'pricesFor'>;

export function fileRecord(file: StoredFile, { pricesFor }: Prices): Static<typeof FileRecord> {
  const {
    id,
    kind,
    status,
    filename,
    contentType,
    sizeBytes,
    durationSeconds,
    format,
    hasVideo,
    hasAudio,
    media,
    error,
    sourceJobId,
  } = file;
  return {
    id,
    kind,
    status,
    filename,
    contentType,
    sizeBytes,
    durationSeconds,
    format,
    hasVideo,
    hasAudio,
    media:
      media === null
        ? null
        : {
            codec: media.codec,
            sampleRate: media.sampleRate,
            channels: media.channels,
            width: media.width,
            height: media.height,
            ...(media.tracks === undefined ? {} : { tracks: [...media.tracks] }),
          },
    error: error === null ? null : { code: error.code, message: error.message },
    prices: durationSeconds === null ? null : (pricesFor(durationSeconds) satisfies Record<ToolId, number>),
    sourceJobId,
    createdAt: file.createdAt.toISOString(),
    expiresAt: file.expiresAt.toISOString(),
  };
}

export function jobRecord({ job, outputs }: JobView, prices: Prices): Static<typeof JobRecord> {
  return {
    id: job.id,
    tool: job.tool,
    status: job.status,
    progress: job.progress,
    stage: job.stage,
    estimatedSecondsLeft: job.estimatedSecondsLeft,
    outputs: outputs.map((file) => fileRecord(file, prices)),
    processedSeconds: job.processedSeconds,
    result: job.result,
    free: job.free,
    // Only free runs without an account are finished by another job.
    finishedBy: null,
    error: job.error === null ? null : { code: job.error.code, message: job.error.message },
    warnings: job.warnings.map(({ code, message }) => ({ code, message })),
    createdAt: job.createdAt.toISOString(),
  };
}

export function uploadInstructions({ upload, multipart }: UploadInstructions): {
  upload: Static<typeof UploadSchema> | null;
  multipart: Static<typeof MultipartSchema> | null;
} {
  return {
    upload:
      upload === null
        ? null
        : { method: 'PUT', url: upload.url, headers: { ...upload.headers }, expiresAt: upload.expiresAt.toISOString() },
    multipart:
      multipart === null
        ? null
        : {
            partSizeBytes: multipart.partSizeBytes,
            partCount: multipart.partCount,
            partUrl: multipart.partUrl,
            completeUrl: multipart.completeUrl,
            expiresAt: multipart.expiresAt.toISOString(),
          },
  };
}

export function accountRecord({ account, freeUsesLeft, prices, limits }: AccountView): Static<typeof AccountSchema> {
  // 1 credit = 1 US cent.
  return {
    balance: account.balance,
    balanceCents: account.balance,
    availableCents: account.balance - account.reserved,
    freeUsesLeft: { ...freeUsesLeft },
    prices: { ...prices },
    limits: { ...limits },
  };
}

export function ledgerEntry({
  id,
  kind,
  credits,
  balance,
  jobId,
  paymentId,
  disputeId,
  createdAt,
}: LedgerEntry): Static<typeof LedgerEntrySchema> {
  return {
    id,
    kind: kind as Static<typeof LedgerEntrySchema>['kind'],
    credits,
    balance,
    jobId,
    paymentId,
    disputeId,
    createdAt: createdAt.toISOString(),
  };
}

export function autoRefillRecord({ autoRefill }: Account): Static<typeof AutoRefillSchema> {
  const { enabled, thresholdCents, amountCents, monthlyCapCents, card } = autoRefill;
  return {
    enabled,
    thresholdCents,
    amountCents,
    monthlyCapCents,
    card: card === null ? null : { brand: card.brand, last4: card.last4 },
  };
}

export function peaksRecord({
  fileId,
  status,
  durationSeconds,
  peak,
  levels,
  bins,
}: PeaksView): Static<typeof PeaksSchema> {
  return {
    fileId,
    status,
    durationSeconds,
    peak,
    levels: levels.map(({ perSecond, count }) => ({ perSecond, count })),
    bins:
      bins === null
        ? null
        : { level: bins.level, first: bins.first, count: bins.count, data: bins.data.toString('base64') },
  };
}

export const pageRequest = (query: { cursor?: string; limit?: number }): PageRequest => ({
  cursor: query.cursor ?? null,
  limit: query.limit ?? 20,
});

export function pageOf<Item, Shown>(
  page: Page<Item>,
  show: (item: Item) => Shown,
): { data: Shown[]; nextCursor: string | null } {
  return { data: page.items.map(show), nextCursor: page.nextCursor };
}

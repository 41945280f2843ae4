import type { Insertable, Selectable, Updateable } from 'kysely';
import type { FilePatch, NewFile } from '../../../rules/files/file-store.ts';
import type { FreeRun } from '../../../rules/free-runs/free-run-store.ts';
import type { Payment } from '../../../rules/money/payment-store.ts';
import type { ApiKey } from '../../../rules/accounts/account.ts';
import type { JobSummary, StoredJob } from '../../../rules/jobs/stored-job.ts';
import type { LedgerEntry } from '../../../rules/money/ledger.ts';
import type { ApiKeyTable, FileTable, FreeRunTable, JobTable, LedgerTable, PaymentTable } from './schema.ts';

/**
 * Maps rows to records and back where they differ: columns that the record does not have, values made of several
 * columns, and JSON. Kysely's plugin has changed the names; accounts, files and older jobs need
 * nothing else.
 */

export const toApiKey = ({ hash: _hash, ...key }: Selectable<ApiKeyTable>): ApiKey => key;

export const toLedgerEntry = ({ position: _position, ...entry }: Selectable<LedgerTable>): LedgerEntry => entry;

/** Columns of a JobSummary. */
export const summaryColumns = [
  'id',
  'accountId',
  'tool',
  'status',
  'free',
  'price',
  'progress',
  'stage',
  'estimatedSecondsLeft',
  'processedSeconds',
  'result',
  'outputFileIds',
  'error',
  'warnings',
  'createdAt',
] as const satisfies readonly (keyof JobSummary)[];

/** Changes the row: copies of long rows take more time than everything else. */
export function toJobSummary(row: Pick<Selectable<JobTable>, (typeof summaryColumns)[number]>): JobSummary {
  row.warnings ??= [];
  return row as typeof row & { readonly warnings: NonNullable<typeof row.warnings> };
}

export function toJob(row: Selectable<JobTable>): StoredJob {
  const { billedSeconds, creditsPerMinute, freeSubject: _subject, freeDay: _day, freeSeconds: _free, ...own } = row;
  const { promisedVersion: _version, promisedModels: _promised, build: _build, models: _models, ...before } = own;
  const { furthest: _furthest, givenBack: _back, lostAttempts: _lost, workerId: _worker, ...known } = before;
  const { unfitSince: _unfit, chainStep: _step, chainRun: _run, ...placed } = known;
  const { shareKey: _key, shareRank: _rank, ...job } = placed;
  return {
    ...job,
    warnings: job.warnings ?? [],
    billing: billedSeconds === null || creditsPerMinute === null ? null : { seconds: billedSeconds, creditsPerMinute },
  };
}

export function toFreeRun(row: Selectable<FreeRunTable>): FreeRun {
  const { price: credits, billedSeconds: seconds, creditsPerMinute, contentHash: _hash, ...run } = row;
  const known = credits !== null && seconds !== null && creditsPerMinute !== null;
  return { ...run, whole: known ? { credits, billing: { seconds, creditsPerMinute } } : null };
}

export const toPayment = ({ disputedCents: _cents, ...payment }: Selectable<PaymentTable>): Payment => payment;

const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

export const fromNewFile = (file: NewFile): Insertable<FileTable> => ({
  ...file,
  visitor: file.visitor ?? null,
  media: json(file.media),
  upload: json(file.upload),
});

const jsonFields: ReadonlySet<string> = new Set(['media', 'error', 'upload', 'peaks']);

/** Only the fields that are set; undefined counts as not set. */
export function fromFilePatch(patch: FilePatch): Updateable<FileTable> {
  const set = Object.entries(patch).filter(([, value]) => value !== undefined) as [keyof FilePatch, unknown][];
  return Object.fromEntries(set.map(([field, value]) => [field, jsonFields.has(field) ? json(value) : value]));
}

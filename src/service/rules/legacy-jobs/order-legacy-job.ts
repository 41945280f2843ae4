import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { OrderJob } from '../jobs/order.ts';
import { placeOrder } from '../jobs/place-order.ts';
import type { LegacyJobStore, NewLegacyJob } from './legacy-job-store.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { StoredFile } from '../files/stored-file.ts';

interface Deps {
  readonly legacyJobs: Pick<LegacyJobStore, 'ordered'>;
  readonly jobs: Pick<JobStore, 'getSummary'>;
  readonly order: OrderJob;
}

/**
 * Orders the job when its file is ready: paid, and the whole file. Concurrent calls create one job.
 * @param file null: deleted
 * @returns why there will be no job; null: it is ordered, or the file is still being checked
 * @throws an internal error, after which the caller tries again
 */
export async function orderLegacyJob(
  deps: Deps,
  { id, accountId, tool, options, ownFormat, fileId }: NewLegacyJob,
  field: string,
  file: StoredFile | null,
): Promise<EarshotError | null> {
  const request = { inputs: { [field]: [fileId] }, options, free: false, maxCredits: null, idempotency: null };
  const placed = await placeOrder(deps, { id, accountId, visitor: accountId, tool, request }, [file], {
    gone: 'The file was deleted or has expired',
    check: ([ready]) => (ready === undefined || ownFormat === null ? null : wrongFormat(ready, ownFormat)),
  });
  if (placed.state === 'ordered') await deps.legacyJobs.ordered(id);
  return placed.state === 'refused' ? placed.error : null;
}

function wrongFormat({ filename, format }: StoredFile, wanted: string): EarshotError | null {
  const extension = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase();
  if (wanted === format || wanted === extension) return null;
  return new EarshotError(
    'bad_request',
    `Expected an output extension that ${format ?? extension ?? 'this file'} can be converted to but ` +
      `received ${wanted}`,
    { details: { field: 'outputExtension', received: wanted } },
  );
}

import { EarshotError } from '../../../library/core/errors.ts';
import type { OrderJob } from '../jobs/order.ts';
import type { LegacyJob, LegacyJobStore } from '../legacy-job-store.ts';
import type { JobStore } from '../ports.ts';
import type { StoredFile } from '../records.ts';

interface Deps {
  readonly legacyJobs: LegacyJobStore;
  readonly jobs: Pick<JobStore, 'getSummary'>;
  readonly order: OrderJob;
}

/**
 * Orders the job on its ready file: paid, and the whole file. Concurrent calls create one job.
 * @throws EarshotError bad_request, insufficient_balance, and the tool's own errors
 */
export async function orderLegacyJob(
  { legacyJobs, jobs, order }: Deps,
  { id, accountId, tool, options, ownFormat }: Pick<LegacyJob, 'id' | 'accountId' | 'tool' | 'options' | 'ownFormat'>,
  field: string,
  file: StoredFile,
): Promise<void> {
  if (ownFormat !== null) requireFormat(file, ownFormat);
  try {
    await order(
      { accountId, visitor: accountId },
      { tool, inputs: { [field]: [file.id] }, options, free: false, maxCredits: null, idempotencyKey: null },
      { id },
    );
  } catch (thrown) {
    // Another process may have ordered it at the same time.
    if ((await jobs.getSummary(id)) === null) throw thrown;
  }
  await legacyJobs.ordered(id);
}

function requireFormat({ filename, format }: StoredFile, wanted: string): void {
  const extension = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase();
  if (wanted === format || wanted === extension) return;
  throw new EarshotError(
    'bad_request',
    `Expected an output extension that ${format ?? extension ?? 'this file'} can be converted to but received ${wanted}`,
    { details: { field: 'outputExtension', received: wanted } },
  );
}

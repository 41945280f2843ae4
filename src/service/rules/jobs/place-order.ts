import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { PendingOrder, WholePrice } from './pending-order.ts';
import type { JobStore } from './job-store.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { fromStored } from '../shared/stored-error.ts';
import type { OrderJob } from './order.ts';

/**
 * 'arriving': this file is still being received or checked. 'ordered': the job exists; another id than the order's is
 * that of an equal request. 'refused': no job will be created.
 */
export type Placement =
  | { readonly state: 'arriving'; readonly fileId: string }
  | { readonly state: 'ordered'; readonly jobId: string; readonly whole: WholePrice | null }
  | { readonly state: 'refused'; readonly error: EarshotError; readonly whole: WholePrice | null };

interface Fits {
  /** Message for a file that was deleted. */
  readonly gone: string;
  /** A refusal of the ready files; null: none. */
  readonly check: (files: readonly StoredFile[]) => EarshotError | null;
}

/**
 * Orders the job of a request as soon as its files are ready. Concurrent calls create one job.
 * @param files the current files of the order; null: deleted
 * @throws an internal error, after which the caller tries again
 */
export async function placeOrder(
  { jobs, order }: { readonly jobs: Pick<JobStore, 'getSummary'>; readonly order: OrderJob },
  { id, accountId, visitor, tool, request }: PendingOrder,
  files: readonly (StoredFile | null)[],
  { gone, check }: Fits,
): Promise<Placement> {
  const bad = files.find((file) => file === null || file.status === 'invalid' || file.status === 'deleted');
  if (bad !== undefined) {
    const error = bad?.error ? fromStored(bad.error) : new EarshotError('file_expired', gone);
    return { state: 'refused', error, whole: null };
  }
  const present = files.filter((file) => file !== null);
  const pending = present.find(({ status }) => status !== 'ready');
  if (pending) return { state: 'arriving', fileId: pending.id };
  const refusal = check(present);
  if (refusal !== null) return { state: 'refused', error: refusal, whole: null };

  const { inputs, options, free, maxCredits, idempotency, billedSeconds } = request;
  let whole = null as WholePrice | null;
  try {
    const { job } = await order(
      { accountId, visitor },
      { tool, inputs, options, free: free ?? undefined, maxCredits, idempotencyKey: idempotency?.key ?? null },
      {
        id,
        ...(idempotency === null ? {} : { requestHash: idempotency.requestHash }),
        ...(billedSeconds === undefined ? {} : { billedSeconds }),
        onPrice: (price) => (whole = price),
      },
    );
    return { state: 'ordered', jobId: job.id, whole };
  } catch (thrown) {
    // Another process may have ordered it at the same time.
    if ((await jobs.getSummary(id)) !== null) return { state: 'ordered', jobId: id, whole };
    const error = EarshotError.from(thrown);
    if (error.code === 'internal_error') throw thrown;
    return { state: 'refused', error, whole };
  }
}

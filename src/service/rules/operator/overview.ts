import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Config } from '../settings/config.ts';
import { utcDay } from '../accounts/free.ts';
import type { Account } from '../accounts/account.ts';
import type { JobActivity, JobStore } from '../jobs/job-store.ts';
import type { FreeOverview, FreeRunStore } from '../free-runs/free-run-store.ts';
import type { StorageTotals, FileStore } from '../files/file-store.ts';
import type { PaymentStatus, Payment, PaymentStore } from '../money/payment-store.ts';

/** The content of the operator's page. */
export interface Overview {
  readonly at: Date;
  readonly jobs: JobActivity;
  readonly slots: number;
  readonly free: FreeOverview & { readonly budgetSeconds: number | null };
  readonly files: StorageTotals;
  readonly payments: {
    readonly counts: Readonly<Record<PaymentStatus | 'disputed', number>>;
    readonly latest: readonly Payment[];
  };
}

const latestPayments = 20;

export interface OverviewDeps {
  readonly jobs: Pick<JobStore, 'activity'>;
  readonly files: Pick<FileStore, 'storage'>;
  readonly freeRuns: Pick<FreeRunStore, 'overview'>;
  readonly payments: Pick<PaymentStore, 'counts' | 'list'>;
  readonly config: Pick<Config, 'freeBudgetSeconds' | 'jobSlots'>;
  readonly now: () => Date;
}

/** State of the service, for accounts with the operator's right. */
export function createOverview({ jobs, files, freeRuns, payments, config, now }: OverviewDeps) {
  return async (account: Account): Promise<Overview> => {
    if (!account.operator)
      throw new EarshotError('forbidden', 'Only the operator of this service may see this page', {
        nextAction: 'The operator can give you the right: earshot accounts operator <account>.',
      });
    const at = now();
    const day = utcDay(at);
    const [activity, storage, free, counts, { items }] = await Promise.all([
      jobs.activity(new Date(`${day}T00:00:00Z`)),
      files.storage(at),
      freeRuns.overview(day, at),
      payments.counts(),
      payments.list({ cursor: null, limit: latestPayments }),
    ]);
    return {
      at,
      jobs: activity,
      slots: config.jobSlots,
      free: { ...free, budgetSeconds: config.freeBudgetSeconds },
      files: storage,
      payments: { counts, latest: items },
    };
  };
}

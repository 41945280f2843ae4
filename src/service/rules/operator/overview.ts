import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Config } from '../settings/config.ts';
import { utcDay } from '../accounts/free.ts';
import type { Account } from '../accounts/account.ts';
import type { JobActivity, JobStore } from '../jobs/job-store.ts';
import type { FreeOverview, FreeRunStore } from '../free-runs/free-run-store.ts';
import type { StorageTotals, FileStore } from '../files/file-store.ts';
import type { FailedJob, HourOfJobs, LoadStore } from './load-store.ts';
import type { PaymentStatus, Payment, PaymentStore } from '../money/payment-store.ts';

/** The content of the operator's page. */
export interface Overview {
  readonly at: Date;
  readonly jobs: JobActivity;
  readonly slots: number;
  readonly free: FreeOverview & { readonly budgetSeconds: number | null };
  readonly files: StorageTotals;
  /** The last 24 hours, the oldest first. */
  readonly hours: readonly HourOfJobs[];
  /** The latest jobs that failed. */
  readonly failedJobs: readonly FailedJob[];
  /** Those that were looked for, the newest first. */
  readonly accounts: readonly Account[];
  readonly payments: {
    readonly counts: Readonly<Record<PaymentStatus | 'disputed', number>>;
    readonly latest: readonly Payment[];
  };
}

const latestPayments = 20;
const latestFailures = 20;
const mostAccounts = 20;

export interface OverviewDeps {
  readonly jobs: Pick<JobStore, 'activity'>;
  readonly files: Pick<FileStore, 'storage'>;
  readonly freeRuns: Pick<FreeRunStore, 'overview'>;
  readonly payments: Pick<PaymentStore, 'counts' | 'list'>;
  readonly load: LoadStore;
  readonly config: Pick<Config, 'freeBudgetSeconds' | 'jobSlots'>;
  readonly now: () => Date;
}

/** State of the service, for accounts with the operator's right. */
export function createOverview({ jobs, files, freeRuns, payments, load, config, now }: OverviewDeps) {
  return async (account: Account, query: string): Promise<Overview> => {
    if (!account.operator)
      throw new EarshotError('forbidden', 'Only the operator of this service may see this page', {
        nextAction: 'The operator can give you the right: earshot accounts operator <account>.',
      });
    const at = now();
    const day = utcDay(at);
    const [activity, storage, free, counts, { items }, hours, failedJobs, accounts] = await Promise.all([
      jobs.activity(new Date(`${day}T00:00:00Z`)),
      files.storage(at),
      freeRuns.overview(day, at),
      payments.counts(),
      payments.list({ cursor: null, limit: latestPayments }),
      load.hours(at),
      load.failedJobs(latestFailures),
      load.findAccounts(query, mostAccounts),
    ]);
    return {
      at,
      jobs: activity,
      slots: config.jobSlots,
      free: { ...free, budgetSeconds: config.freeBudgetSeconds },
      files: storage,
      hours,
      failedJobs,
      accounts,
      payments: { counts, latest: items },
    };
  };
}

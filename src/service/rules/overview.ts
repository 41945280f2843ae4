import { EarshotError } from '../../library/core/errors/errors.ts';
import type { Config } from './config.ts';
import { utcDay } from './free.ts';
import type { FileStore, FreeRunStore, JobStore, PaymentStore } from './ports.ts';
import type { Account } from './records.ts';
import type { Overview } from './service.ts';

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

import { EarshotError } from '../../../library/core/errors/errors.ts';
import { isFinal, type LegacyJobs } from './legacy-job-use-cases.ts';
import type { LegacyJobLook, LegacyJobStore } from './legacy-job-store.ts';
import type { Changes } from '../shared/wait-for.ts';
import type { Account } from '../accounts/account.ts';
import { statusOf } from './status.ts';
import { createStatusWatch } from './watch.ts';

/** The status of an account's jobs, once and at every change. */
export function createLegacyStatuses({
  legacyJobs,
  changes,
}: {
  readonly legacyJobs: LegacyJobStore;
  readonly changes: Changes;
}): Pick<LegacyJobs, 'status' | 'follow'> {
  const watch = createStatusWatch(changes, async (id) => {
    const look = await legacyJobs.look(id);
    return look === null ? null : statusOf(look);
  });

  async function owned(account: Account, jobId: string): Promise<LegacyJobLook> {
    const look = await legacyJobs.look(jobId);
    if (look !== null && look.legacy.accountId === account.id) return look;
    throw new EarshotError('not_found', `There is no job ${jobId}`, { details: { id: jobId } });
  }

  return {
    status: async (account, jobId) => statusOf(await owned(account, jobId)),

    async follow(account, jobId, listener) {
      const status = statusOf(await owned(account, jobId));
      listener(status);
      return isFinal(status) ? { stop: () => undefined } : watch.follow(jobId, status, listener);
    },
  };
}

import type { StoredJob } from '../jobs/stored-job.ts';
import type { Account } from '../accounts/account.ts';

/** An hour of the service. */
export interface HourOfJobs {
  /** Its beginning. */
  readonly at: Date;
  /** Number of jobs that were ordered in it, at least 0. */
  readonly ordered: number;
  /** Number of those that failed, at least 0. */
  readonly failed: number;
  /** The longest time that one of them waited for its start, seconds. */
  readonly waitedSeconds: number;
}

/** A job that failed. */
export type FailedJob = Pick<StoredJob, 'id' | 'tool' | 'accountId' | 'error' | 'createdAt' | 'attempt'>;

/** What the operator's page reads of all accounts. */
export interface LoadStore {
  /** The last 24 hours, the oldest first, also those without a job. */
  hours(at: Date): Promise<readonly HourOfJobs[]>;
  /** The latest that failed. */
  failedJobs(limit: number): Promise<readonly FailedJob[]>;
  /** Accounts by letters of their name, address or id, the newest first; '': all. */
  findAccounts(query: string, limit: number): Promise<readonly Account[]>;
}

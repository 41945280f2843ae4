import { sql, type Kysely } from 'kysely';
import type { JobStore } from '../../../rules/jobs/job-store.ts';
import type { JobStatus } from '../../../rules/jobs/stored-job.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/schema.ts';

/** Transactions that end a job are visible after this time. */
const settledAfter = sql`interval '2 minutes'`;

/**
 * Adds the jobs that have ended since the last call to the sums in `ended_jobs`: /metrics never counts them again. Call
 * every minute. Two calls at once add them once.
 */
export async function tallyEndedJobs({ kysely }: Pick<Database, 'kysely'>): Promise<void> {
  await sql`
    with before as (select until, clock_timestamp() - ${settledAfter} as next from ended_jobs),
    more as (
      select count(*) filter (where status = 'succeeded') as succeeded, count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status = 'cancelled') as cancelled
      from jobs, before where finished_at > before.until and finished_at <= before.next
    )
    update ended_jobs set until = before.next, succeeded = ended_jobs.succeeded + more.succeeded,
      failed = ended_jobs.failed + more.failed, cancelled = ended_jobs.cancelled + more.cancelled
    from before, more where ended_jobs.until = before.until and before.next > before.until`.execute(kysely);
}

/** Counts jobs by status: ended ones for good, also those whose rows have gone. */
export function createJobCounts(kysely: Kysely<Tables>): JobStore['counts'] {
  return async () => {
    const { rows } = await sql<{ status: JobStatus; count: number }>`
      select status, sum(count)::float8 as count from (
        select ended.* from ended_jobs cross join lateral (values
          ('succeeded', succeeded), ('failed', failed), ('cancelled', cancelled)) ended (status, count)
        union all
        select status, count(*) from jobs where finished_at > (select until from ended_jobs) group by status
        union all
        select status, count(*) from jobs where status in ('queued', 'running') group by status
      ) as counts group by status`.execute(kysely);
    const none: Record<JobStatus, number> = { queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
    return Object.assign(none, Object.fromEntries(rows.map(({ status, count }) => [status, count])));
  };
}

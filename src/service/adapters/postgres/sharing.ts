import { sql, type Transaction } from 'kysely';
import { classOf, shareKeyOf } from '../../rules/job-classes.ts';
import { freePriority } from '../queue/entries.ts';
import type { Tables } from './schema.ts';

/** Is the job in a table of that name free, or a visitor's? As `classOf`. */
export const isFreeClass = (table: string) =>
  sql<boolean>`(${sql.ref(`${table}.account_id`)} is null or ${sql.ref(`${table}.free`)})`;

/**
 * The job's position among those of its class, by start-time fair queueing: an account's jobs have consecutive
 * positions, and an account without queued jobs starts at the front. So the first job of one account runs before the
 * hundredth of another, jobs of one account keep their order, and no job starves, because later jobs start at or behind
 * the front. All visitors together are one such account. Concurrent calls may read the same front; then the older job
 * runs first.
 */
export async function nextShareRank(
  trx: Transaction<Tables>,
  job: { readonly accountId: string | null; readonly free: boolean },
): Promise<number> {
  const ofClass = sql`${isFreeClass('jobs')} = ${classOf(job) === 'free'}`;
  const { rows } = await sql<{ rank: number }>`
    select greatest(
      coalesce((select min(share_rank) from jobs where status = 'queued' and ${ofClass}), 1),
      coalesce((select max(share_rank) + 1 from jobs
        where share_key = ${shareKeyOf(job)} and status in ('queued', 'running') and ${ofClass}), 1)
    ) as rank`.execute(trx);
  return rows[0]?.rank ?? 1;
}

/** Priority in the queue: higher first. */
export const priorityOf = (job: {
  readonly accountId: string | null;
  readonly free: boolean;
  readonly shareRank: number;
}): number => (classOf(job) === 'free' ? freePriority : 0) - job.shareRank;

/** The same of a row of jobs. */
export const priorityInSql = sql<number>`case when ${isFreeClass('jobs')} then ${sql.lit(freePriority)} else 0 end - share_rank`;

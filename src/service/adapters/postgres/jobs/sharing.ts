import { sql, type Selectable, type Transaction } from 'kysely';
import { classOf, shareKeyOf } from '../../../rules/fleet/job-classes.ts';
import type { Task } from '../../queue/enqueue.ts';
import { freePriority } from '../../queue/entries.ts';
import { entryClassOf } from '../../queue/entry-class.ts';
import type { JobTable, Tables } from '../database/schema.ts';

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
const priorityOf = (job: {
  readonly accountId: string | null;
  readonly free: boolean;
  readonly shareRank: number;
}): number => (classOf(job) === 'free' ? freePriority : 0) - job.shareRank;

/** Columns that `jobTask` reads. */
export const jobTaskColumns = [
  'id',
  'accountId',
  'freeSubject',
  'free',
  'shareRank',
  'tool',
  'promisedVersion',
  'promisedModels',
] as const satisfies readonly (keyof JobTable)[];

/** The queue entry of a job: whose it is, its turn, and which machines it suits. */
export const jobTask = (job: Pick<Selectable<JobTable>, (typeof jobTaskColumns)[number]>): Task => ({
  kind: 'job',
  id: job.id,
  owner: job.accountId ?? job.freeSubject,
  priority: priorityOf(job),
  entryClass: entryClassOf(job),
});

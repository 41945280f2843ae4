import { sql, type Transaction } from 'kysely';
import type { Tables } from './schema.ts';

/**
 * The job's position, by start-time fair queueing: an account's jobs have consecutive positions, and an account without
 * queued jobs starts at the front. So the first job of one account runs before the hundredth of another, jobs of one
 * account keep their order, and no job starves, because later jobs start at or behind the front. Concurrent calls may
 * read the same front; then the older job runs first.
 */
export async function nextShareRank(trx: Transaction<Tables>, shareKey: string): Promise<number> {
  const { rows } = await sql<{ rank: number }>`
    select greatest(
      coalesce((select min(share_rank) from jobs where status = 'queued'), 1),
      coalesce((select max(share_rank) + 1 from jobs where share_key = ${shareKey} and status in ('queued', 'running')), 1)
    ) as rank`.execute(trx);
  return rows[0]?.rank ?? 1;
}

/** Priority in the queue: higher first. */
export const priorityOf = (shareRank: number): number => -shareRank;

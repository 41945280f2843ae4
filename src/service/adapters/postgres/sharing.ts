import { sql, type Transaction } from 'kysely';
import type { Tables } from './schema.ts';

/**
 * The job's turn, by start-time fair queueing: one account's jobs stand one behind the other, and an account that has
 * nothing waiting joins at the front of the line. So a newcomer's first job goes before the hundredth of somebody else,
 * nobody's earlier job is overtaken by the same account's later one, and nobody waits for ever, because everyone who
 * comes later joins at or behind the front. Concurrent calls may see the same front; then the older job goes first.
 */
export async function nextShareRank(trx: Transaction<Tables>, shareKey: string): Promise<number> {
  const { rows } = await sql<{ rank: number }>`
    select greatest(
      coalesce((select min(share_rank) from jobs where status = 'queued'), 1),
      coalesce((select max(share_rank) + 1 from jobs where share_key = ${shareKey} and status in ('queued', 'running')), 1)
    ) as rank`.execute(trx);
  return rows[0]?.rank ?? 1;
}

/** What the queue sorts by: higher first. */
export const priorityOf = (shareRank: number): number => -shareRank;

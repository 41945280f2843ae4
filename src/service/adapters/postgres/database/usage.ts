import { sql, type Transaction } from 'kysely';
import { passageName } from '../../../../library/contract/passage-order.ts';
import type { AccountUsage } from '../../../rules/accounts/quotas.ts';
import type { Tables } from './schema.ts';

/** Call in a transaction that locks the account if concurrent calls must be prevented. */
export async function usageOf(trx: Transaction<Tables>, accountId: string): Promise<AccountUsage> {
  const { rows } = await sql<AccountUsage>`
    select count(*)::int as files, coalesce(sum(size_bytes), 0)::bigint as bytes,
      (select count(*)::int from jobs where share_key = ${accountId} and status in ('queued', 'running')) as "unfinishedJobs"
    from files where account_id = ${accountId} and status <> 'deleted' and status <> 'invalid'`.execute(trx);
  return rows[0] ?? { files: 0, bytes: 0, unfinishedJobs: 0 };
}

/** Previews of passages that the account has ordered within a day. */
export async function previewsOf(trx: Transaction<Tables>, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from jobs
    where account_id = ${accountId} and created_at > now() - interval '1 day' and options ? ${passageName}`.execute(
    trx,
  );
  return rows[0]?.count ?? 0;
}

import { sql } from 'kysely';
import type { JobStatus } from '../../../rules/jobs/stored-job.ts';
import type { Books, ReconciliationStore } from '../../../rules/operator/reconciliation.ts';
import type { Database } from '../database/database.ts';

/** Of lists of faults: more would tell no one more. */
const mostFaults = 1000;

/** Reads whole tables: for the operator's command, not for requests. */
export function createReconciliation({ kysely }: Pick<Database, 'kysely'>): ReconciliationStore {
  return {
    async jobsOf(folders) {
      if (folders.length === 0) return new Map();
      // As outputs.ts names folders.
      const { rows } = await sql<{ folder: string; id: string; status: JobStatus; attempt: number }>`
        select folder, id, status, attempt from (
          select left(encode(sha256(id::bytea), 'hex'), 32) as folder, id, status, attempt from jobs) as named
        where folder = any(${[...folders]}::text[])`.execute(kysely);
      return new Map(rows.map(({ folder, ...job }) => [folder, job]));
    },
    async readyFiles(after, limit) {
      const rows = await kysely
        .selectFrom('files')
        .select(['id', 'sourceJobId', 'objectKey'])
        .where('status', '=', 'ready')
        .where('objectKey', 'is not', null)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.flatMap(({ objectKey, ...file }) => (objectKey === null ? [] : [{ ...file, objectKey }]));
    },
    // One snapshot: jobs go on meanwhile.
    books: () =>
      kysely
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (trx): Promise<Books> => {
          const accounts = await sql<Books['accounts'][number]>`
            select account_id, balance::float8 as balance, ledger_balance::float8 as ledger_balance,
              reserved::float8 as reserved, ledger_reserved::float8 as ledger_reserved
            from (
              select accounts.id as account_id, accounts.balance, accounts.reserved,
                coalesce(sum(ledger.credits), 0) as ledger_balance, coalesce(sum(ledger.reserved), 0) as ledger_reserved
              from accounts left join ledger on ledger.account_id = accounts.id group by accounts.id) as sums
            where balance <> ledger_balance or reserved <> ledger_reserved limit ${mostFaults}`.execute(trx);
          const charges = await sql<Books['charges'][number]>`
            select jobs.id as job_id, jobs.status, count(ledger.id)::int as charges
            from jobs left join ledger on ledger.job_id = jobs.id and ledger.kind = 'charge'
            where jobs.price > 0 group by jobs.id, jobs.status
            having count(ledger.id) <> case jobs.status when 'succeeded' then 1 else 0 end
            union all
            select chains.id, chains.status, count(ledger.id)::int
            from chains left join ledger on ledger.job_id = chains.id and ledger.kind = 'charge'
            group by chains.id, chains.status, chains.charged
            having count(ledger.id) <> case when chains.charged > 0 then 1 else 0 end limit ${mostFaults}`.execute(trx);
          const held = await sql<Books['held'][number]>`
            select jobs.id as job_id, jobs.status from jobs join ledger on ledger.job_id = jobs.id
            where jobs.status in ('succeeded', 'failed', 'cancelled')
            group by jobs.id, jobs.status having sum(ledger.reserved) <> 0
            union all
            select chains.id, chains.status from chains join ledger on ledger.job_id = chains.id
            where chains.status <> 'running'
            group by chains.id, chains.status having sum(ledger.reserved) <> 0 limit ${mostFaults}`.execute(trx);
          return { accounts: accounts.rows, charges: charges.rows, held: held.rows };
        }),
  };
}

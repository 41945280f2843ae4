import { sql, type Kysely, type Transaction } from 'kysely';
import type { ClaimedEntry, RunnerEntries } from '../../rules/runner-store.ts';
import { queueSchema } from './boss.ts';

const entries = sql.table(`${queueSchema}.job`);
const now = sql`${sql.raw(queueSchema)}.job_now()`;

/** The entry, while it is active under this claim: the queue counts claims, and each one's number is a fence. */
const held = ({ entryId, claim }: ClaimedEntry) =>
  sql`name = 'job' and id = ${entryId}::uuid and state = 'active' and retry_count = ${claim}`;

/**
 * Queue entries with their own leases: the queue's heartbeat of each entry, with our duration. No process holds them,
 * so any API process can renew and end them.
 */
export function createRunnerEntries<Tables>(kysely: Kysely<Tables>): RunnerEntries {
  const plain = kysely.withoutPlugins();
  return {
    async claim(leaseSeconds) {
      const { rows } = await sql<{ id: string; job: string; retry_count: number }>`
        with next as (
          select id from ${entries} as entry
          where entry.name = 'job' and entry.state < 'active' and not entry.blocked and entry.start_after <= ${now}
          order by entry.priority desc, entry.created_on limit 1 for update of entry skip locked
        )
        update ${entries} as entry set state = 'active', started_on = ${now}, heartbeat_on = ${now},
          heartbeat_seconds = ${leaseSeconds},
          retry_count = case when entry.started_on is not null then entry.retry_count + 1 else entry.retry_count end
        from next where entry.name = 'job' and entry.id = next.id
        returning entry.id, entry.data ->> 'id' as job, entry.retry_count`.execute(plain);
      const [row] = rows;
      return row === undefined ? null : { entryId: row.id, claim: row.retry_count, jobId: row.job };
    },
    async renew(entry) {
      const { numAffectedRows = 0n } =
        await sql`update ${entries} set heartbeat_on = ${now} where ${held(entry)}`.execute(plain);
      return numAffectedRows > 0n;
    },
    end: async (entry) => void (await endEntry(plain, entry)),
    async release(entry) {
      await sql`update ${entries} set state = 'retry', start_after = ${now}, heartbeat_on = null
        where ${held(entry)}`.execute(plain);
    },
  };
}

/** false: the lease had ended. */
export async function endEntry<Tables>(
  trx: Kysely<Tables> | Transaction<Tables>,
  entry: ClaimedEntry,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update ${entries} set state = 'completed', completed_on = ${now} where ${held(entry)}`.execute(
    trx.withoutPlugins(),
  );
  return numAffectedRows > 0n;
}

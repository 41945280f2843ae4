import { CompiledQuery, sql, type Kysely, type Transaction } from 'kysely';
import { firstClass } from '../../rules/fleet/job-classes.ts';
import type { ClaimedEntry, RunnerEntries } from '../../rules/runners/runner-store.ts';
import { lockCounts } from '../advisory-locks.ts';
import { queueSchema } from './boss.ts';
import { nextSuited } from './leases.ts';
import { suitedValues } from './suited.ts';

const entries = sql.table(`${queueSchema}.job`);
const now = sql`${sql.raw(queueSchema)}.job_now()`;

/** The entry, while it is active under this claim: the queue counts claims, and each one's number is a fence. */
const held = ({ entryId, claim }: ClaimedEntry) =>
  sql`name = 'job' and id = ${entryId}::uuid and state = 'active' and retry_count = ${claim}`;

interface ClaimRow {
  readonly id: string;
  readonly job: string;
  readonly retry_count: number;
}

/** $13: seconds of the lease. */
const claimStatement = `
with recursive ${nextSuited}
update ${queueSchema}.job entry set state = 'active', started_on = ${queueSchema}.job_now(),
  heartbeat_on = ${queueSchema}.job_now(), heartbeat_seconds = $13,
  retry_count = case when entry.started_on is not null then entry.retry_count + 1 else entry.retry_count end
from next where entry.name = $1 and entry.id = next.id
returning entry.id, entry.data ->> 'id' as job, entry.retry_count`;

/**
 * Queue entries with their own leases: the queue's heartbeat of each entry, with our duration. No process holds them,
 * so any API process can renew and end them.
 */
export function createRunnerEntries<Tables>(kysely: Kysely<Tables>): RunnerEntries {
  const plain = kysely.withoutPlugins();
  let starts = 0;
  return {
    async due() {
      const { rows } = await sql<{ isDue: boolean }>`select exists (select from ${entries} as entry
        where entry.name = 'job' and entry.state < 'active' and not entry.blocked and entry.start_after <= ${now})
        as "isDue"`.execute(plain);
      return rows[0]?.isDue ?? false;
    },
    async claim(leaseSeconds, machine, perOwner) {
      const place = [1, machine.workerId, perOwner, null, firstClass(starts)];
      const values = ['job', ...place, ...suitedValues(machine), leaseSeconds];
      const claim = CompiledQuery.raw(claimStatement, values);
      const { rows } =
        perOwner === null
          ? await plain.executeQuery<ClaimRow>(claim)
          : await plain.transaction().execute(async (trx) => {
              await lockCounts(trx, 'job');
              return await trx.executeQuery<ClaimRow>(claim);
            });
      const [row] = rows;
      if (row === undefined) return null;
      starts += 1;
      return { entryId: row.id, claim: row.retry_count, jobId: row.job };
    },
    async renew(entry) {
      const { numAffectedRows = 0n } =
        await sql`update ${entries} set heartbeat_on = ${now} where ${held(entry)}`.execute(plain);
      return numAffectedRows > 0n;
    },
    async holds(entry) {
      const { rows } = await sql<{ holds: boolean }>`select exists (select from ${entries} where ${held(entry)}
        and heartbeat_on + heartbeat_seconds * interval '1 second' > ${now}) as holds`.execute(plain);
      return rows[0]?.holds ?? false;
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

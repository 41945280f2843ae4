import { sql } from 'kysely';
import { leaseSeconds } from '../../../rules/fleet/fleet.ts';
import { LeadLost, type Leadership } from '../../../rules/fleet/leadership.ts';
import type { Database } from '../database/database.ts';

/** The tasks of one process ask at the same time, and share the answer. */
const sharedMs = 1000;

/** By the database's clock: an evicted or silent worker has lost the lead. */
const alive = `not evicted and last_beat_at > clock_timestamp() - interval '${leaseSeconds} seconds'`;

/**
 * The lead is a row that names a worker. Its beat renews it: the lead lasts as long as its lease, and any worker with a
 * lease takes it from one without. A lock of the session would be held by a stopped process for as long as it is.
 */
export function createLeadership(database: Database, workerId: string): Leadership {
  const { kysely, log } = database;
  let hasLed = false;
  let asked: { readonly at: number; readonly answer: Promise<boolean> } | null = null;

  const take = async (): Promise<boolean> => {
    await sql`
      insert into leader as own (worker_id)
      select id from workers where id = ${workerId} and ${sql.raw(alive)}
      on conflict (one) do update set worker_id = excluded.worker_id, taken_at = clock_timestamp()
      where own.worker_id <> excluded.worker_id
        and not exists (select from workers where id = own.worker_id and ${sql.raw(alive)})`.execute(kysely);
    const leads = await isLeader();
    if (leads && !hasLed) log.info({ workerId }, 'This process does the housekeeping of the fleet');
    if (!leads && hasLed) log.warn({ workerId }, 'Another process does the housekeeping of the fleet now');
    hasLed = leads;
    return leads;
  };

  /** A process that wakes up may ask before its first beat, so its own lease counts, too. */
  const isLeader = async (): Promise<boolean> => {
    const { rows } = await sql`
      select from leader join workers on workers.id = worker_id
      where worker_id = ${workerId} and ${sql.raw(alive)}`.execute(kysely);
    return rows.length > 0;
  };

  return {
    async lead() {
      const at = performance.now();
      if (asked === null || at - asked.at >= sharedMs) asked = { at, answer: take() };
      if (!(await asked.answer)) return null;
      return async () => {
        if (!(await isLeader())) throw new LeadLost();
      };
    },
    async noteRound(name) {
      await sql`
        insert into housekeeping_rounds (name, worker_id) values (${name}, ${workerId})
        on conflict (name) do update set worker_id = excluded.worker_id, ended_at = clock_timestamp()`.execute(kysely);
    },
  };
}

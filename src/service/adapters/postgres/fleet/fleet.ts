import { sql } from 'kysely';
import { type FleetStore, type FleetWorker, leaseSeconds, unfitSeconds } from '../../../rules/fleet/fleet.ts';
import type { StillLeads } from '../../../rules/fleet/leadership.ts';
import { toolsWithModels } from '../../../rules/fleet/pools.ts';
import type { StoredError } from '../../../rules/shared/stored-error.ts';
import { queueSchema } from '../../queue/boss.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import type { Database } from '../database/database.ts';
import { foldCounts } from '../shared/tallies.ts';
import { factsOf, quickly, writeBeat } from '../shared/heartbeat.ts';
import { handBack } from '../jobs/job-turns.ts';
import { lockJob, owned, release } from '../jobs/settlements.ts';

/** How long lost workers stay listed. */
const remembersLost = '1 hour';

/** Deletes rows of workers lost long ago, expired rate limit windows and uploads, and leases of ended tasks. */
export async function tidyFleet(database: Database): Promise<void> {
  const { kysely } = database;
  await sql`delete from workers where last_beat_at < clock_timestamp() - ${remembersLost}::interval`.execute(kysely);
  await sql`delete from held_inputs where held_at < clock_timestamp() - interval '1 hour'
    or not exists (select from workers where workers.id = worker_id)`.execute(kysely);
  await sql`delete from rate_windows where ends_at < clock_timestamp()`.execute(kysely);
  await sql`delete from arriving_uploads where ends_at < clock_timestamp()`.execute(kysely);
  // Of tasks that a later release no longer has; the others are written every minute.
  await sql`delete from housekeeping_rounds where ended_at < clock_timestamp() - interval '7 days'`.execute(kysely);
  // An entry and its lease are claimed in one statement.
  await sql`delete from task_leases where not exists (
    select from ${sql.table(`${queueSchema}.job`)} as entry where entry.id = entry_id and entry.name = kind
      and entry.state = 'active')`.execute(kysely);
  await foldCounts(database);
}

/** @param queue null: only for lists */
export function createFleet(database: Database, queue: Enqueuer | null): FleetStore {
  const { kysely } = database;

  /** Gives back the tasks without counting an attempt: running attempts end with the worker's lease. */
  const takeTasks = async (id: string): Promise<void> => {
    const running = await kysely
      .selectFrom('jobs')
      .select(['id', 'attempt'])
      .where('workerId', '=', id)
      .where('status', '=', 'running')
      .execute();
    for (const { id: jobId, attempt } of running)
      await database.transaction(async (trx) => {
        const job = await owned(trx, jobId, attempt);
        if (job === null || job.workerId !== id) return;
        await handBack(trx, job, queue);
      });
    await database.transaction(async (trx) => queue?.redeliver(trx, [id], 'any'));
  };

  return {
    async beat(facts, { running, load, unfit = null }) {
      const { rows } = await database.queryAside(`with ${quickly} ${writeBeat}`, [
        ...factsOf(facts),
        running,
        load,
        unfit,
      ]);
      const [row] = rows as readonly { readonly draining: boolean; readonly evicted: boolean }[];
      return { draining: row?.draining ?? false, evicted: row?.evicted ?? false };
    },
    async leave(id) {
      await kysely.deleteFrom('workers').where('id', '=', id).execute();
    },
    async list() {
      const { rows } = await sql<Omit<FleetWorker, 'state'> & { evicted: boolean; draining: boolean; lost: boolean }>`
        select id, host, version, roles, labels, slots, connections, build, models, running, load, unfit, unfit_since, started_at,
          last_beat_at, draining, evicted,
          greatest(0, extract(epoch from clock_timestamp() - last_beat_at))::float8 as silent_seconds,
          last_beat_at < clock_timestamp() - ${leaseSeconds} * interval '1 second' as lost
        from workers order by slots = 0, host, id`.execute(kysely);
      return rows.map(({ draining, evicted, lost, ...worker }) => ({
        ...worker,
        state: evicted ? 'evicted' : lost ? 'lost' : draining ? 'draining' : 'running',
      }));
    },
    async setDraining(id, draining) {
      const { numUpdatedRows } = await kysely
        .updateTable('workers')
        .set({ draining })
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async evict(id) {
      const { numUpdatedRows } = await kysely
        .updateTable('workers')
        .set({ evicted: true })
        .where('id', '=', id)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await takeTasks(id);
      return true;
    },
    async inputsAhead(front) {
      const { rows } = await sql<{ files: string[] }>`
        select files from (
          select entry.priority, entry.created_on, array(
            select jsonb_array_elements_text(ids.value) from jsonb_each(jobs.inputs) ids) as files
          from ${sql.table(`${queueSchema}.job`)} as entry join jobs on jobs.id = entry.data ->> 'id'
          where entry.name = 'job' and entry.state < 'active' and not entry.blocked
          order by entry.priority desc, entry.created_on limit ${front}) as waiting
        where not exists (select from held_inputs where file_id = any(files))
        order by priority desc, created_on limit 1`.execute(kysely.withoutPlugins());
      return rows[0]?.files ?? [];
    },
    async noteHeld(workerId, fileIds) {
      await database.queryAside(
        `with ${quickly}
         insert into held_inputs (file_id, worker_id) select distinct id, $1 from quickly, unnest($2::text[]) as id
         on conflict (file_id, worker_id) do update set held_at = clock_timestamp()`,
        [workerId, [...fileIds]],
      );
    },
    ...createLastResort(database),
  };
}

/** Ends jobs that no machine runs. */
function createLastResort(database: Database): Pick<FleetStore, 'failUnsuited' | 'failPassedOn'> {
  const { kysely } = database;
  /** Fails jobs that still wait. */
  const failAll = async (
    jobs: readonly { readonly id: string }[],
    error: StoredError,
    stillLeads: StillLeads,
  ): Promise<void> => {
    for (const { id } of jobs) {
      await stillLeads();
      await database.transaction(async (trx) => {
        const job = await lockJob(trx, id);
        if (job?.status === 'queued')
          await release(trx, job, { status: 'failed', stage: 'failed', error: JSON.stringify(error) });
      });
    }
  };

  return {
    async failUnsuited(afterSeconds, stillLeads = () => Promise.resolve()) {
      const { rows } = await sql<{ id: string }>`
        select id from jobs where status = 'queued' and promised_models is not null and tool = any(${[...toolsWithModels]}::text[])
          and created_at < clock_timestamp() - ${afterSeconds} * interval '1 second'
          and exists (select from workers where slots > 0)
          and not exists (select from workers where slots > 0
            and models <@ promised_models and models @> promised_models) limit 1000`.execute(kysely);
      const message = 'No machine of the service has the models that this job was ordered with; nothing was charged';
      await failAll(rows, { code: 'tool_unavailable', message }, stillLeads);
      return rows.length;
    },
    async failPassedOn(stillLeads = () => Promise.resolve()) {
      const long = sql`clock_timestamp() - ${unfitSeconds} * interval '1 second'`;
      const { rows } = await sql<{ id: string }>`
        select id from jobs where status = 'queued' and unfit_since < ${long}
          and not exists (select from workers where slots > 0 and not evicted
            and last_beat_at > clock_timestamp() - ${leaseSeconds} * interval '1 second'
            and (unfit_since is null or unfit_since > ${long})) limit 1000`.execute(kysely);
      const message = 'No machine of the service could run this job, and nothing was charged; order it again later';
      await failAll(rows, { code: 'internal_error', message }, stillLeads);
      return rows.length;
    },
  };
}

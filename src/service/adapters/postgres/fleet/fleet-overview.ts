import { sql } from 'kysely';
import { leaseSeconds } from '../../../rules/fleet/fleet.ts';
import type { FleetOverview } from '../../../rules/fleet/fleet-overview.ts';
import type { Database } from '../database/database.ts';
import { isFreeClass } from '../jobs/sharing.ts';
import { readCounts } from '../shared/tallies.ts';

const lost = sql`last_beat_at < clock_timestamp() - ${sql.lit(leaseSeconds)} * interval '1 second'`;

/** Ages are by the database's clock. */
export async function readFleetOverview(database: Database): Promise<FleetOverview> {
  const { kysely } = database;
  const { rows: processes } = await sql<FleetOverview['processes'][number] & { unfit: number }>`
    select case when 'runner' = any(roles) then 'runner' when 'worker' = any(roles) then 'worker' else 'api' end as role,
      case when evicted then 'evicted' when ${lost} then 'lost' when draining then 'draining' else 'running' end as state,
      count(*)::int as count, (count(*) filter (where unfit is not null and not ${lost}))::int as unfit
    from workers group by 1, 2`.execute(kysely);
  const { rows: queued } = await sql<{ free: boolean; seconds: number }>`
    select ${isFreeClass('jobs')} as free, extract(epoch from clock_timestamp() - min(created_at))::float8 as seconds
    from jobs where status = 'queued' group by 1`.execute(kysely);
  const { rows: rounds } = await sql<{ name: string; seconds: number }>`
    select name, extract(epoch from clock_timestamp() - ended_at)::float8 as seconds
    from housekeeping_rounds`.execute(kysely);
  const oldest = (ofFree: boolean): number => Math.max(0, queued.find(({ free }) => free === ofFree)?.seconds ?? 0);
  return {
    processes: processes.map(({ role, state, count }) => ({ role, state, count })),
    unfit: processes.reduce((sum, { unfit }) => sum + unfit, 0),
    oldestQueuedSeconds: { paid: oldest(false), free: oldest(true) },
    housekeepingSeconds: Object.fromEntries(rounds.map(({ name, seconds }) => [name, Math.max(0, seconds)])),
    counts: await readCounts(database),
  };
}

import { type Kysely, sql } from 'kysely';
import type { JobActivity } from '../../../rules/jobs/job-store.ts';
import type { Tables } from '../database/schema.ts';
import { isFreeClass } from './sharing.ts';

const mostOpen = 50;

/** Running and waiting jobs, and those that ended since then. Both reads use an index. */
export async function activityOf(kysely: Kysely<Tables>, since: Date): Promise<JobActivity> {
  const [open, counts, ended, failures] = await Promise.all([
    kysely
      .selectFrom('jobs')
      .select(['id', 'tool', 'status', 'stage', 'progress', 'billedSeconds as seconds'])
      .where('status', 'in', ['queued', 'running'])
      .orderBy(sql`status = 'running'`, 'desc')
      .orderBy(isFreeClass('jobs'))
      .orderBy('shareRank')
      .orderBy('createdAt')
      .limit(mostOpen)
      .execute(),
    sql<{ running: number; queued: number; owners: number; oldest: Date | null }>`
      select count(*) filter (where status = 'running')::int as running,
        count(*) filter (where status = 'queued')::int as queued,
        count(distinct coalesce(account_id, free_subject))::int as owners, min(created_at) filter (where status = 'queued') as oldest
      from jobs where status in ('queued', 'running')`.execute(kysely),
    sql<{ ended: number; failed: number; seconds: number }>`
      select count(*)::int as ended, count(*) filter (where status = 'failed')::int as failed,
        coalesce(sum(processed_seconds), 0)::double precision as seconds
      from jobs where finished_at >= ${since}`.execute(kysely),
    sql<{ code: string }>`
      select coalesce(error ->> 'code', '?') as code from jobs where finished_at >= ${since} and status = 'failed'
      group by 1 order by count(*) desc, 1 limit 3`.execute(kysely),
  ]);
  const [now] = counts.rows;
  const [done] = ended.rows;
  return {
    running: now?.running ?? 0,
    queued: now?.queued ?? 0,
    owners: now?.owners ?? 0,
    oldestQueuedAt: now?.oldest ?? null,
    ended: done?.ended ?? 0,
    failed: done?.failed ?? 0,
    processedSeconds: done?.seconds ?? 0,
    failures: failures.rows.map(({ code }) => code),
    open,
  };
}

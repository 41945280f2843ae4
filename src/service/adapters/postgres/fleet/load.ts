import { sql } from 'kysely';
import type { HourOfJobs, LoadStore } from '../../../rules/operator/load-store.ts';
import type { Database } from '../database/database.ts';

/** What the operator's page reads of all accounts. */
export function createLoadStore({ kysely }: Database): LoadStore {
  return {
    async hours(at) {
      const { rows } = await sql<HourOfJobs>`
        with recent as materialized (
          select date_trunc('hour', created_at) as hour, status,
            case when started_at is not null or status = 'queued'
              then extract(epoch from coalesce(started_at, ${at}::timestamptz) - created_at) end as waited
          from jobs where created_at >= date_trunc('hour', ${at}::timestamptz) - interval '23 hours'
        )
        select hour as at, count(status)::int as ordered,
          count(*) filter (where status = 'failed')::int as failed, coalesce(max(waited), 0)::float8 as "waitedSeconds"
        from generate_series(
            date_trunc('hour', ${at}::timestamptz) - interval '23 hours', date_trunc('hour', ${at}::timestamptz),
            interval '1 hour') as hour
          left join recent using (hour)
        group by hour order by hour`.execute(kysely);
      return rows;
    },
    failedJobs: (limit) =>
      kysely
        .selectFrom('jobs')
        .select(['id', 'tool', 'accountId', 'error', 'createdAt', 'attempt'])
        .where('status', '=', 'failed')
        .orderBy('createdAt', 'desc')
        .limit(limit)
        .execute(),
    async findAccounts(query, limit) {
      const pattern = `%${query.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
      return kysely
        .selectFrom('accounts')
        .selectAll()
        .where('deletedAt', 'is', null)
        .$if(query !== '', (found) =>
          found.where(sql<boolean>`name ilike ${pattern} or email ilike ${pattern} or id = ${query}`),
        )
        .orderBy('createdAt', 'desc')
        .limit(limit)
        .execute();
    },
  };
}

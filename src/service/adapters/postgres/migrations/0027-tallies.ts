import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Jobs that have ended, counted once and for all; what processes count for /metrics; and jobs that runners took and
 * never ended.
 */
const statements = `
create table ended_jobs (
  one boolean primary key default true check (one),
  until timestamptz not null,
  succeeded bigint not null,
  failed bigint not null,
  cancelled bigint not null
);
insert into ended_jobs (until, succeeded, failed, cancelled)
  select moment.until, count(*) filter (where status = 'succeeded'), count(*) filter (where status = 'failed'),
    count(*) filter (where status = 'cancelled')
  from (select clock_timestamp() - interval '2 minutes' as until) moment
  left join jobs on finished_at <= moment.until group by moment.until;
create table tallies (
  process text not null,
  name text not null,
  count bigint not null,
  primary key (process, name)
) with (fillfactor = 50);
alter table runners add column unfinished integer not null default 0;
alter table runners add column unfinished_at timestamptz;
`;

export const tallies: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

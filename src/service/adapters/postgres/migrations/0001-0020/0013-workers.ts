import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * One lease a worker instead of one a task: `workers` has a row for each process of the fleet, and each running task's
 * queue entry points at its process. Free space in the pages of `workers` keeps its updates in place.
 */
const statements = `
create table workers (
  id text primary key,
  host text not null,
  version text not null,
  roles text[] not null,
  labels text[] not null default '{}',
  slots integer not null default 0 check (slots >= 0),
  connections integer not null default 0 check (connections >= 0),
  build text not null default '',
  models text[] not null default '{}',
  running integer not null default 0,
  load double precision not null default 0,
  started_at timestamptz not null default clock_timestamp(),
  last_beat_at timestamptz not null default clock_timestamp(),
  draining boolean not null default false,
  evicted boolean not null default false,
  lost_at timestamptz
) with (fillfactor = 20);

create table task_leases (
  entry_id uuid primary key,
  kind text not null,
  worker_id text not null
);
create index task_leases_by_worker on task_leases (worker_id);
`;

export const workers: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

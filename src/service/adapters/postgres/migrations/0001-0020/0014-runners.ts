import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Machines that run jobs over https, and their attempts. */
const statements = `
create table runners (
  id text primary key,
  name text not null,
  prefix text not null,
  hash text not null unique,
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz,
  revoked_at timestamptz,
  accepted integer not null default 0,
  refused integer not null default 0
);
create table runner_runs (
  job_id text not null references jobs (id) on delete cascade,
  attempt integer not null,
  runner_id text not null references runners (id),
  entry_id uuid not null,
  claim integer not null,
  max_output_bytes bigint not null,
  outputs jsonb not null default '[]',
  answer jsonb,
  created_at timestamptz not null default clock_timestamp(),
  primary key (job_id, attempt)
);
create index runner_runs_by_runner on runner_runs (runner_id);
`;

export const runners: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

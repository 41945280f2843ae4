import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Which machine suits a job: what its order promised, what ran it, who has its inputs. And jobs whose processes crashed
 * on two machines. Only additions: the version before goes on beside this one.
 */
const statements = `
alter table jobs
  add column promised_version text,
  add column promised_models text[],
  add column build text,
  add column models text[];

create unlogged table held_inputs (
  file_id text not null,
  worker_id text not null,
  held_at timestamptz not null default clock_timestamp(),
  primary key (file_id, worker_id)
);
create index held_inputs_by_age on held_inputs (held_at);

create table job_crashes (
  job_id text not null references jobs (id) on delete cascade,
  attempt integer not null,
  fingerprint text not null,
  host text not null,
  noted_at timestamptz not null default clock_timestamp(),
  primary key (job_id, attempt)
);
create index job_crashes_by_fingerprint on job_crashes (fingerprint);

create table poison_jobs (
  job_id text primary key references jobs (id) on delete cascade,
  fingerprint text not null,
  hosts text[] not null,
  noted_at timestamptz not null default clock_timestamp(),
  replayed_at timestamptz,
  replay_job_id text
);
`;

export const pools: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

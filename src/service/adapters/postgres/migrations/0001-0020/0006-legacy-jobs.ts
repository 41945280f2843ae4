import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Jobs of the older API, and the highest progress of a job: shown progress must not fall when a job is restarted.
 */
const statements = `
alter table jobs add column furthest double precision not null default 0 check (furthest >= 0 and furthest <= 1);

create table legacy_jobs (
  id text primary key,
  account_id text not null references accounts (id),
  file_id text not null,
  tool text not null,
  options jsonb not null,
  own_format text,
  from_link boolean not null,
  output_url text,
  status text not null default 'arriving' check (status in ('arriving', 'ordered', 'delivered', 'failed')),
  error jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint legacy_failed_has_an_error check ((error is not null) = (status = 'failed')),
  constraint legacy_address_is_forgotten check (output_url is null or status in ('arriving', 'ordered'))
);
create index legacy_jobs_arriving on legacy_jobs (file_id) where status = 'arriving';
create index legacy_jobs_to_deliver on legacy_jobs (id) where status = 'ordered' and output_url is not null;
create index legacy_jobs_by_expiry on legacy_jobs (expires_at);
`;

export const legacyJobs: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

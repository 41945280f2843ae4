import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What attempts of a job finished before a worker handed it back. Gone when the job ends. Only an addition. */
const statements = `
create table finished_parts (
  job_id text primary key references jobs (id) on delete cascade,
  parts bytea not null,
  created_at timestamptz not null default clock_timestamp()
);
`;

export const finishedParts: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

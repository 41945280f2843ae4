import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Undo of edits over sessions, and versions with names. The release before saves edits without their steps: those that
 * are of an earlier version of the edit are not used.
 */
const statements = `
alter table edits add column history jsonb;
alter table edits add column history_version integer;

create table edit_versions (
  id text primary key,
  file_id text not null references edits (file_id) on delete cascade,
  account_id text not null references accounts (id),
  name text not null,
  transcript_file_id text,
  state jsonb not null,
  seconds double precision not null check (seconds >= 0),
  saved_at timestamptz not null default clock_timestamp()
);
create index edit_versions_by_file on edit_versions (file_id, saved_at);
`;

export const editVersions: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Texts of edits that others may read by a link, and what they say of them. Both go with the edit, which goes with its
 * recording. Not 0035: a database that has 0036 takes nothing before it.
 */
const statements = `
create table edit_shares (
  id text primary key,
  file_id text not null references edits (file_id) on delete cascade,
  account_id text not null references accounts (id),
  title text not null,
  language text not null,
  seconds double precision not null check (seconds >= 0),
  sound_file_id text,
  sentences jsonb not null,
  made_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
create index edit_shares_by_file on edit_shares (file_id, made_at);

create table edit_comments (
  id text primary key,
  share_id text not null references edit_shares (id) on delete cascade,
  sentence integer not null check (sentence >= 0),
  name text not null,
  text text not null,
  made_at timestamptz not null default clock_timestamp()
);
create index edit_comments_by_share on edit_comments (share_id, made_at);
`;

export const editShares: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

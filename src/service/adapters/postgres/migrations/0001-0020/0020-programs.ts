import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Programs that act for people: what the authorization server keeps, and the keys that sign its access tokens. */
const statements = `
create table program_records (
  kind text not null,
  id text not null,
  account_id text references accounts (id),
  client_id text,
  grant_id text,
  payload jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (kind, id)
);
create index program_records_by_grant on program_records (grant_id) where grant_id is not null;
create index program_records_by_account on program_records (account_id) where account_id is not null;
create index program_records_by_expiry on program_records (expires_at);
create index program_records_unused on program_records (created_at desc) where kind = 'Client' and used_at is null;

create table program_keys (
  id text primary key,
  secret text not null,
  made_at timestamptz not null
);
`;

export const programs: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Tries of sign-in codes, browsers that have signed in to an account before, and changes of addresses that can be
 * undone.
 */
const statements = `
alter table one_time_tokens add column tries integer not null default 0 check (tries >= 0);
create index one_time_tokens_by_browser on one_time_tokens ((data ->> 'browser')) where purpose = 'sign-in';

create table known_browsers (
  hash text not null,
  account_id text not null references accounts (id),
  seen_at timestamptz not null,
  primary key (hash, account_id)
);
create index known_browsers_by_account on known_browsers (account_id);
create index known_browsers_by_time on known_browsers (seen_at);

create table address_changes (
  id text primary key,
  account_id text not null references accounts (id),
  old_email text not null,
  since timestamptz not null,
  changed_at timestamptz not null,
  expires_at timestamptz not null
);
create index address_changes_by_address on address_changes (old_email);
create index address_changes_by_account on address_changes (account_id, changed_at);
create index address_changes_by_expiry on address_changes (expires_at);
`;

export const accountGuards: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Voices that accounts have known again. They go with the account: its row stays when it is closed, so a trigger
 * deletes them, also when the release before this one closes it.
 */
export const voices: Migration = {
  async up(db) {
    await sql
      .raw(
        `create table voices (
          id text primary key,
          account_id text not null references accounts (id) on delete cascade,
          name text not null check (length(name) between 1 and 80),
          status text not null check (status in ('processing', 'ready', 'failed')),
          file_id text not null,
          ranges jsonb,
          consent text not null check (length(consent) between 1 and 500),
          print jsonb,
          error jsonb,
          created_at timestamptz not null default clock_timestamp(),
          check ((status = 'ready') = (print is not null))
        )`,
      )
      .execute(db);
    await sql.raw('create unique index voices_account_name on voices (account_id, lower(name))').execute(db);
    await sql
      .raw(
        `create function delete_voices_of_closed_account() returns trigger language plpgsql as $$
        begin
          delete from voices where account_id = new.id;
          return null;
        end $$`,
      )
      .execute(db);
    await sql
      .raw(
        `create trigger voices_of_closed_account after update of deleted_at on accounts for each row
        when (new.deleted_at is not null) execute function delete_voices_of_closed_account()`,
      )
      .execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What the website keeps for an account, over browsers and devices. */
export const accountNotes: Migration = {
  async up(db) {
    await sql
      .raw(
        `create table account_notes (
          account_id text not null references accounts (id),
          kind text not null,
          name text not null,
          value jsonb not null,
          saved_at timestamptz not null default clock_timestamp(),
          primary key (account_id, kind, name)
        )`,
      )
      .execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Chains that accounts saved with a name. */
export const chainPresets: Migration = {
  async up(db) {
    await sql
      .raw(
        `create table chain_presets (
          account_id text not null references accounts (id),
          name text not null,
          chain jsonb not null,
          created_at timestamptz not null default clock_timestamp(),
          primary key (account_id, name)
        )`,
      )
      .execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Requests of the current minute by key, of all APIs. Unlogged: not needed after a crash. */
const statements = `
create unlogged table rate_windows (
  key text primary key,
  count integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
`;

export const sharedLimits: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

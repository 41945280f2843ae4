import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Uploads that arrive at each API now, by owner. Unlogged: not needed after a crash. */
const statements = `
create unlogged table arriving_uploads (
  api text not null,
  owner text not null,
  files integer not null,
  ends_at timestamptz not null,
  primary key (api, owner)
) with (fillfactor = 50);
`;

export const sharedUploads: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

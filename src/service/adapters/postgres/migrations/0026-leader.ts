import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The worker that does the housekeeping, while its row in `workers` is renewed, and when each task last ended. */
const statements = `
create table leader (
  one boolean primary key default true check (one),
  worker_id text not null,
  taken_at timestamptz not null default clock_timestamp()
);
create table housekeeping_rounds (
  name text primary key,
  worker_id text not null,
  ended_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
`;

export const leader: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Since when machines could not run a job for want of something that is theirs, and what a machine lacks. */
const statements = `
alter table jobs add column unfit_since timestamptz;
alter table workers add column unfit text;
alter table workers add column unfit_since timestamptz;
`;

export const unfit: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

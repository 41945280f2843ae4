import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What the older API has told of the queue before a job, so that it does not tell more later. null: nothing yet. */
const statements = `
alter table legacy_jobs add column jobs_ahead integer check (jobs_ahead >= 0);
`;

export const jobsAhead: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

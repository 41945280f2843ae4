import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * How often a job's attempts ended without its fault, by reason. `job_crashes` and
 * `poison_jobs` are the version before's alone; the next one drops them.
 */
const statements = `
alter table jobs add column lost_attempts jsonb not null default '{}';
`;

export const lostAttempts: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

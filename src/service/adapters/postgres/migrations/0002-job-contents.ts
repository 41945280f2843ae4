import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Ended jobs that still hold what they were given and what they answered: few, and found without looking at all that
 * ever were.
 */
export const jobContents: Migration = {
  async up(db) {
    await sql`create index jobs_with_contents on jobs (finished_at) where finished_at is not null and (options <> '{}'::jsonb or result is not null)`.execute(
      db,
    );
  },
};

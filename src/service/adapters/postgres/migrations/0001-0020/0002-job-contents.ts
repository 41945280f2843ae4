import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * A partial index of ended jobs that still have options and results, so that the sweep does not scan all jobs.
 */
export const jobContents: Migration = {
  async up(db) {
    await sql`create index jobs_with_contents on jobs (finished_at) where finished_at is not null and (options <> '{}'::jsonb or result is not null)`.execute(
      db,
    );
  },
};

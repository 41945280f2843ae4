import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The front of the line of each class, paid and free. The version before goes on with one line for both. */
const statements = `
create index jobs_in_line_by_class on jobs ((account_id is null or free), share_rank) where status = 'queued';
`;

export const jobClasses: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

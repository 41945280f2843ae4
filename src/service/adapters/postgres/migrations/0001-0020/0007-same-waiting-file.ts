import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Hash of a waiting run's content: sending the same file again finds that run. */
const statements = `
alter table free_runs add column content_hash text;
create index free_runs_same_waiting on free_runs (visitor, content_hash)
  where status = 'waiting' and finish_job_id is null;
`;

export const sameWaitingFile: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

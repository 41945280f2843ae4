import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Rows that nobody needs any more may go: ended jobs after a year, keys of repeated requests after a month. The ledger
 * and payments stay, and go on naming the job they were for. What has ended since a moment is counted by the same index.
 */
const statements = `
alter table ledger drop constraint ledger_job_id_fkey;
alter table payments drop constraint payments_job_id_fkey;
create index jobs_by_end on jobs (finished_at) where finished_at is not null;
create index idempotency_by_age on idempotency (created_at);
`;

export const oldRows: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

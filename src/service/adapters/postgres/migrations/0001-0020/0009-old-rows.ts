import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Lets old rows be deleted: ended jobs after a year, idempotency keys after a month. The ledger and payments stay, with
 * the job's id. The same index counts recently ended jobs.
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

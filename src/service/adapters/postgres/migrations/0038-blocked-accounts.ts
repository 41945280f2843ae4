import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Accounts that the operator has blocked. The release before lets them go on. */
export const blockedAccounts: Migration = {
  async up(db) {
    await sql.raw('alter table accounts add column blocked_at timestamptz, add column blocked_for text').execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Jobs store the basis of their price, and warnings. A job that processed less than quoted is charged less than was
 * reserved: a charge releases at least as many credits as it takes.
 */
export const trueLengths: Migration = {
  async up(db) {
    await sql`
      alter table jobs
        add column billed_seconds double precision check (billed_seconds >= 0),
        add column credits_per_minute integer check (credits_per_minute >= 0),
        add column warnings jsonb`.execute(db);
    await sql`alter table ledger drop constraint books_move_as_their_kind`.execute(db);
    await sql`
      alter table ledger add constraint books_move_as_their_kind check (
        case kind
          when 'grant' then credits > 0 and reserved = 0 and job_id is null
          when 'purchase' then credits > 0 and reserved = 0 and job_id is null
          when 'adjustment' then credits <> 0 and reserved = 0 and job_id is null
          when 'reserve' then credits = 0 and reserved > 0 and job_id is not null
          when 'release' then credits = 0 and reserved < 0 and job_id is not null
          when 'charge' then credits < 0 and reserved <= credits and job_id is not null
          else false
        end
      )`.execute(db);
  },
};

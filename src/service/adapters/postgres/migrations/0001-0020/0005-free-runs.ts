import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Free runs and payments. Jobs store their free seconds of the day's budget, to return them; files of visitors store
 * the visitor, so that links are fetched one at a time for each. Constraints: at most one finishing job per run, and
 * one outcome per payment.
 */
const statements = `
alter table files add column visitor text;
alter table jobs add column free_seconds double precision not null default 0 check (free_seconds >= 0);

create table free_days (
  day text primary key check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
  seconds double precision not null default 0
);

create table free_runs (
  id text primary key,
  account_id text references accounts (id),
  visitor text not null,
  tool text not null,
  request jsonb not null,
  status text not null check (status in ('arriving', 'started', 'waiting', 'refused')),
  error jsonb,
  price bigint check (price >= 0),
  billed_seconds double precision check (billed_seconds >= 0),
  credits_per_minute integer check (credits_per_minute >= 0),
  payer_account_id text references accounts (id),
  finish_job_id text unique references jobs (id),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint refused_has_an_error check ((error is not null) = (status in ('refused', 'waiting')))
);
create index free_runs_waiting on free_runs (visitor, created_at) where status = 'waiting' and finish_job_id is null;
create index free_runs_by_expiry on free_runs (expires_at);

create table payments (
  id text primary key,
  provider text not null check (provider in ('operator', 'stripe')),
  reference text,
  free_run_id text,
  account_id text references accounts (id),
  tool text,
  amount_cents bigint not null check (amount_cents > 0),
  paid_cents bigint not null default 0 check (paid_cents >= 0),
  refunded_cents bigint not null default 0 check (refunded_cents >= 0),
  status text not null default 'open' check (status in ('open', 'paid', 'refunded', 'closed')),
  outcome text check (outcome in ('job_started', 'credits', 'file_gone', 'too_little', 'already_finished')),
  job_id text references jobs (id),
  created_at timestamptz not null default clock_timestamp(),
  paid_at timestamptz,
  constraint paid_has_a_time check ((paid_at is not null) = (paid_cents > 0)),
  constraint paid_has_an_outcome check ((outcome is not null) = (paid_cents > 0)),
  constraint for_something check (free_run_id is not null or account_id is not null)
);
create unique index payments_by_reference on payments (provider, reference) where reference is not null;
create index payments_by_run on payments (free_run_id) where free_run_id is not null;
create index payments_by_age on payments (created_at desc, id desc);
`;

export const freeRuns: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Signing in on the website: addresses, sessions that are listed, links and challenges, passkeys. */
const statements = `
alter table accounts
  add column email text check (email = lower(email)),
  add column operator boolean not null default false,
  add column language text not null default 'en' check (language in ('en', 'de')),
  add column deleted_at timestamptz;
create unique index accounts_by_email on accounts (email);

alter table sessions
  add column id text not null default 'ses_' || replace(gen_random_uuid()::text, '-', ''),
  add column created_at timestamptz not null default clock_timestamp(),
  add column seen_at timestamptz not null default clock_timestamp(),
  add column idle_seconds bigint check (idle_seconds > 0),
  add column method text not null default 'operator' check (method in ('operator', 'link', 'passkey')),
  add column device text not null default '';
create unique index sessions_by_id on sessions (id);

create table one_time_tokens (
  hash text primary key,
  purpose text not null,
  subject text,
  data jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
create index one_time_tokens_by_subject on one_time_tokens (subject) where subject is not null;
create index one_time_tokens_by_expiry on one_time_tokens (expires_at);

create table passkeys (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  public_key text not null,
  counter bigint not null check (counter >= 0),
  transports text[] not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz
);
create index passkeys_by_account on passkeys (account_id);

alter table payments
  add column automatic boolean not null default false,
  add column failure text;
create index payments_by_account on payments (account_id, created_at desc, id desc);
-- One automatic payment of an account at a time.
create unique index payments_automatic_open on payments (account_id) where automatic and status = 'open';
`;

export const signIn: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The database itself protects the money: balances are never below zero or below the reserved credits, the ledger is
 * append-only, and a job is settled once.
 */
const statements = `
create table accounts (
  id text primary key,
  name text not null,
  balance bigint not null default 0 check (balance >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  auto_refill jsonb not null,
  oauth_subject text unique,
  created_at timestamptz not null default clock_timestamp(),
  constraint reserved_is_covered check (reserved <= balance)
);
create index accounts_by_age on accounts (created_at desc, id desc);

create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  prefix text not null,
  hash text not null unique,
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_by_account on api_keys (account_id, created_at);
create index api_keys_by_prefix on api_keys (prefix);

create table sessions (
  hash text primary key,
  account_id text not null references accounts (id),
  expires_at timestamptz not null
);
create index sessions_by_account on sessions (account_id);
create index sessions_by_expiry on sessions (expires_at);

create table jobs (
  id text primary key,
  account_id text references accounts (id),
  free_subject text not null,
  free_day text not null check (free_day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
  tool text not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  inputs jsonb not null,
  options jsonb not null,
  free boolean not null,
  window_seconds double precision,
  price bigint not null check (price >= 0),
  progress double precision not null default 0 check (progress >= 0 and progress <= 1),
  stage text not null default 'queued',
  estimated_seconds_left double precision,
  processed_seconds double precision,
  result jsonb,
  output_file_ids text[] not null default '{}',
  error jsonb,
  cancel_requested boolean not null default false,
  attempt integer not null default 0 check (attempt >= 0),
  given_back integer not null default 0 check (given_back >= 0 and given_back <= attempt),
  worker_id text,
  share_key text not null,
  share_rank integer not null,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  constraint free_costs_nothing check (not free or price = 0),
  constraint somebody_pays check (price = 0 or account_id is not null),
  constraint ended_has_a_time check ((finished_at is not null) = (status in ('succeeded', 'failed', 'cancelled'))),
  constraint failed_has_an_error check ((error is not null) = (status = 'failed'))
);
create index jobs_by_account on jobs (account_id, created_at desc, id desc);
create index jobs_by_account_and_tool on jobs (account_id, tool, created_at desc, id desc);
create index jobs_by_status on jobs (status);
create index jobs_by_share on jobs (share_key, share_rank) where status in ('queued', 'running');
create index jobs_in_line on jobs (share_rank) where status = 'queued';

create table ledger (
  position bigint generated always as identity primary key,
  id text not null unique,
  account_id text not null references accounts (id),
  kind text not null,
  credits bigint not null,
  reserved bigint not null,
  balance bigint not null check (balance >= 0),
  job_id text references jobs (id),
  note text,
  created_at timestamptz not null default clock_timestamp(),
  constraint books_move_as_their_kind check (
    case kind
      when 'grant' then credits > 0 and reserved = 0 and job_id is null
      when 'purchase' then credits > 0 and reserved = 0 and job_id is null
      when 'adjustment' then credits <> 0 and reserved = 0 and job_id is null
      when 'reserve' then credits = 0 and reserved > 0 and job_id is not null
      when 'release' then credits = 0 and reserved < 0 and job_id is not null
      when 'charge' then credits < 0 and reserved = credits and job_id is not null
      else false
    end
  )
);
create index ledger_by_account on ledger (account_id, position desc);
create index ledger_credits_by_account on ledger (account_id, position desc) where credits <> 0;
create unique index ledger_reserves_once on ledger (job_id) where kind = 'reserve';
create unique index ledger_settles_once on ledger (job_id) where kind in ('release', 'charge');

create function ledger_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % refused', tg_op using errcode = 'restrict_violation';
end
$$;
create trigger ledger_is_append_only before update or delete on ledger for each row execute function ledger_is_append_only();
create trigger ledger_is_never_emptied before truncate on ledger for each statement execute function ledger_is_append_only();

create table free_uses (
  subject text not null,
  day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
  tool text not null,
  taken integer not null check (taken >= 0),
  primary key (subject, day, tool)
);
create index free_uses_by_day on free_uses (day);

create table files (
  id text primary key,
  account_id text references accounts (id),
  kind text not null check (kind in ('original', 'output')),
  status text not null check (status in ('awaiting_upload', 'processing', 'ready', 'invalid', 'deleted')),
  filename text not null,
  content_type text not null,
  size_bytes bigint check (size_bytes >= 0),
  sha256 text,
  duration_seconds double precision check (duration_seconds >= 0),
  format text,
  has_video boolean not null,
  has_audio boolean not null,
  media jsonb,
  error jsonb,
  upload jsonb,
  object_key text,
  import_hash text,
  source_job_id text,
  peaks_status text check (peaks_status in ('processing', 'ready', 'none')),
  peaks jsonb,
  peaks_key text,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
create index files_by_account on files (account_id, created_at desc, id desc) where status <> 'deleted';
create index files_by_account_and_kind on files (account_id, kind, created_at desc, id desc) where status <> 'deleted';
create index files_by_expiry on files (expires_at, id);
create index files_by_import on files (account_id, import_hash, created_at desc) where import_hash is not null;
create index files_by_object on files (object_key) where object_key is not null;
create index files_by_peaks on files (peaks_key) where peaks_key is not null;
create index files_at_work on files (id) where status = 'processing' or peaks_status = 'processing';

create table file_parts (
  file_id text not null references files (id) on delete cascade,
  number integer not null check (number >= 1),
  size_bytes bigint not null check (size_bytes >= 0),
  primary key (file_id, number)
);

create table idempotency (
  owner text not null,
  scope text not null check (scope in ('job', 'file')),
  key text not null,
  request_hash text not null,
  target_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (owner, scope, key)
);
create index idempotency_by_target on idempotency (target_id);

create table settings (
  name text primary key,
  value text not null
);
`;

export const first: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

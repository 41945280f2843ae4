import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Chains: several tools one after the other, reserved and settled as one. Their steps are jobs. The release before does
 * not know how a step writes: the trigger keeps it from starting one.
 */
const statements = `
create table chains (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  recipe text,
  status text not null default 'running' check (status in ('running', 'succeeded', 'failed', 'cancelled')),
  plan jsonb not null,
  file_ids text[] not null,
  settling text not null check (settling in ('whole', 'steps')),
  price bigint not null check (price >= 0),
  charged bigint check (charged >= 0 and charged <= price),
  cancel_requested boolean not null default false,
  error jsonb,
  failed_step text,
  output_file_ids text[] not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  constraint chain_ended_has_a_time check ((finished_at is not null) = (status <> 'running')),
  constraint chain_ended_is_settled check ((charged is not null) = (status <> 'running')),
  constraint chain_failed_has_an_error check ((error is not null) = (status = 'failed'))
);
create index chains_by_account on chains (account_id, created_at desc, id desc);
create index chains_open on chains (id) where status = 'running';
create index chains_by_end on chains (finished_at) where finished_at is not null;

alter table jobs add column chain_id text;
alter table jobs add column chain_step integer;
alter table jobs add column chain_run integer;
alter table jobs add column writes jsonb;
create unique index jobs_by_chain on jobs (chain_id, chain_step, chain_run) where chain_id is not null;

create function steps_start_where_they_are_known() returns trigger language plpgsql as $$
begin
  if current_setting('earshot.steps', true) is distinct from 'known' then
    raise exception 'a step of a chain is left to a newer release' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger steps_start_where_they_are_known before update of status on jobs
  for each row when (new.chain_id is not null and new.status = 'running' and old.status <> 'running')
  execute function steps_start_where_they_are_known();
`;

export const chains: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

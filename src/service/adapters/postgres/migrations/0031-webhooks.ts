import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Addresses that accounts gave for events, and what is to be sent to them. Events are written by triggers, in the
 * transaction that changes the record: no way of ending a job can forget one, also not the release before this one.
 * They run with the rights of the tables' owner, because the earlier release has none on these tables.
 */
const statements = `
create table webhook_endpoints (
  id text primary key,
  account_id text not null references accounts (id),
  url text not null,
  description text not null,
  events text[] not null,
  secret text not null,
  earlier_secret text,
  earlier_until timestamptz,
  enabled boolean not null default true,
  off_reason text check (off_reason in ('asked', 'failing', 'gone')),
  failing_since timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  check (enabled = (off_reason is null)),
  check ((earlier_secret is null) = (earlier_until is null))
);
create index webhook_endpoints_by_account on webhook_endpoints (account_id, created_at);

create table webhook_deliveries (
  position bigint generated always as identity primary key,
  id text not null,
  endpoint_id text not null references webhook_endpoints (id) on delete cascade,
  type text not null,
  subject text not null,
  data jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  tries integer not null default 0 check (tries >= 0),
  next_at timestamptz not null default clock_timestamp(),
  gives_up_at timestamptz not null default clock_timestamp() + interval '1 day',
  leased_until timestamptz,
  tried_at timestamptz,
  answer_status integer,
  answer_ms integer,
  answer text,
  created_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
create unique index webhook_deliveries_by_event on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, position);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_at) where status = 'pending';
create index webhook_deliveries_by_object on webhook_deliveries (endpoint_id, subject, position) where status = 'pending';
create index webhook_deliveries_by_time on webhook_deliveries (created_at);

create function emit_webhooks(of_account text, kind text, of_subject text, body jsonb) returns void
language plpgsql as $$
declare
  event text := 'evt_' || replace(gen_random_uuid()::text, '-', '');
begin
  insert into webhook_deliveries (id, endpoint_id, type, subject, data)
    select event, id, kind, of_subject, body from webhook_endpoints
    where account_id = of_account and enabled and kind = any (events) for key share;
end
$$;

create function webhooks_of_jobs() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform emit_webhooks(new.account_id,
    case new.status when 'queued' then 'job.created' when 'running' then 'job.started'
      when 'succeeded' then 'job.completed' when 'failed' then 'job.failed' else 'job.cancelled' end,
    new.id,
    jsonb_build_object('id', new.id, 'tool', new.tool, 'status', new.status)
      || case when new.status = 'succeeded' then jsonb_build_object('outputs', to_jsonb(new.output_file_ids))
        when new.status = 'failed' then jsonb_build_object('error', jsonb_build_object('code', new.error ->> 'code'))
        else '{}' end);
  return null;
end
$$;
create trigger webhooks_of_new_jobs after insert on jobs for each row
  when (new.account_id is not null and new.chain_id is null) execute function webhooks_of_jobs();
create trigger webhooks_of_jobs after update of status on jobs for each row
  when (new.account_id is not null and new.chain_id is null and new.status <> old.status and new.status <> 'queued')
  execute function webhooks_of_jobs();

create function webhooks_of_files() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform emit_webhooks(new.account_id, 'file.' || new.status, new.id,
    jsonb_build_object('id', new.id, 'kind', new.kind, 'status', new.status, 'sourceJobId', new.source_job_id)
      || case when new.status = 'invalid' then jsonb_build_object('error', jsonb_build_object('code', new.error ->> 'code'))
        else '{}' end);
  return null;
end
$$;
create trigger webhooks_of_new_files after insert on files for each row
  when (new.account_id is not null and new.status = 'ready') execute function webhooks_of_files();
create trigger webhooks_of_files after update of status on files for each row
  when (new.account_id is not null and new.status <> old.status and new.status in ('ready', 'invalid', 'deleted'))
  execute function webhooks_of_files();
`;

export const webhooks: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

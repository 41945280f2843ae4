import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Events of chains, beside those of jobs and files (0031). The steps of a chain have none. */
const statements = `
create function webhooks_of_chains() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform emit_webhooks(new.account_id,
    case new.status when 'running' then 'chain.created' when 'succeeded' then 'chain.completed'
      when 'failed' then 'chain.failed' else 'chain.cancelled' end,
    new.id,
    jsonb_build_object('id', new.id, 'status', new.status, 'recipe', new.recipe)
      || case when new.output_file_ids = '{}' then '{}'
        else jsonb_build_object('outputs', to_jsonb(new.output_file_ids)) end
      || case when new.status = 'failed' then jsonb_build_object('error', jsonb_build_object('code', new.error ->> 'code'))
        else '{}' end);
  return null;
end
$$;
create trigger webhooks_of_new_chains after insert on chains for each row execute function webhooks_of_chains();
create trigger webhooks_of_chains after update of status on chains for each row
  when (new.status <> old.status) execute function webhooks_of_chains();
`;

export const chainWebhooks: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

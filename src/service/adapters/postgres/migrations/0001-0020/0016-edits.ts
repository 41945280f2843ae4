import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What people made of a recording by its words, on the website. It goes with the recording's bytes. */
const statements = `
create table edits (
  file_id text primary key references files (id) on delete cascade,
  account_id text not null references accounts (id),
  transcript_file_id text,
  state jsonb not null,
  version integer not null check (version >= 1),
  saved_at timestamptz not null default clock_timestamp()
);
create index edits_by_account on edits (account_id);

create function edits_go_with_their_file() returns trigger language plpgsql as $$
begin
  delete from edits where file_id = new.id;
  return null;
end
$$;
create trigger edits_go_with_their_file after update of status on files
  for each row when (new.status = 'deleted' and old.status <> 'deleted')
  execute function edits_go_with_their_file();
`;

export const edits: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

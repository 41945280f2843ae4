import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Recordings of people who are to be named in one job. They go when that ends, however it does, or is refused: by
 * triggers, so that no way to an end can forget them.
 */
export const voiceReferences: Migration = {
  async up(db) {
    await sql
      .raw(
        `create table voice_references (
          run_id text not null references free_runs (id) on delete cascade,
          place integer not null check (place >= 0),
          name text not null check (length(name) between 1 and 80),
          sound bytea not null,
          primary key (run_id, place)
        )`,
      )
      .execute(db);
    await sql
      .raw(
        `create function delete_voice_references() returns trigger language plpgsql as $$
        begin
          delete from voice_references where run_id = new.id;
          return null;
        end $$`,
      )
      .execute(db);
    await sql
      .raw(
        `create trigger voice_references_of_ended_job after update of status on jobs for each row
        when (new.tool = 'transcribe_audio' and new.status in ('succeeded', 'failed', 'cancelled'))
        execute function delete_voice_references()`,
      )
      .execute(db);
    await sql
      .raw(
        `create trigger voice_references_of_refused_run after update of status on free_runs for each row
        when (new.status = 'refused') execute function delete_voice_references()`,
      )
      .execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Uploads in parts get an id of the object store's, and parts a receipt. Uploads that are under way go on: their parts
 * lie in a folder named after the file's id (`uploads~` and half of its SHA-256), which is what the store on disk takes
 * for the id, and an empty etag is what it answers for parts that were written before there were any.
 */
export const uploadReceipts: Migration = {
  async up(db) {
    await sql`alter table files add column upload_id text`.execute(db);
    await sql`alter table file_parts add column etag text not null default ''`.execute(db);
    await sql`alter table file_parts alter column etag drop default`.execute(db);
    await sql`
      update files set upload_id = 'uploads~' || left(encode(sha256(convert_to(id, 'UTF8')), 'hex'), 32)
      where status = 'awaiting_upload' and upload ->> 'mode' = 'multipart'
        and exists (select from file_parts where file_id = files.id)`.execute(db);
  },
};

import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Multipart uploads get the object store's upload id, and parts a receipt. Uploads in progress continue: their parts
 * are in a folder named after the file's id (`uploads~` and half of its SHA-256), which the disk store uses as the
 * upload id; their etag is empty.
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

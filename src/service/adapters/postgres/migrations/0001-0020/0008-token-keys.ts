import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Rotating keys of links. The earlier single secret becomes the key "0", so that existing links keep working. */
const statements = `
create table token_keys (
  id text primary key,
  secret text not null,
  made_at timestamptz not null
);
insert into token_keys (id, secret, made_at) select '0', value, now() from settings where name = 'token_secret';
delete from settings where name = 'token_secret';
`;

export const tokenKeys: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};

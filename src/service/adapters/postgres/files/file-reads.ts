import { sql } from 'kysely';
import type { FileStore } from '../../../rules/files/file-store.ts';
import { anyOf, batchReads } from '../database/batched-reads.ts';
import { newestPage } from '../database/cursor.ts';
import type { Database } from '../database/database.ts';
import { createFileSums } from './file-sums.ts';

type FileReads = Pick<
  FileStore,
  | 'get'
  | 'getMany'
  | 'list'
  | 'kept'
  | 'sourcesOf'
  | 'findImport'
  | 'expired'
  | 'expiredBefore'
  | 'usedKeys'
  | 'totals'
  | 'storage'
>;

export function createFileReads({ kysely }: Database): FileReads {
  const readMany = batchReads(
    async (ids) => await kysely.selectFrom('files').selectAll().where('id', '=', anyOf(ids)).execute(),
  );

  return {
    ...createFileSums(kysely),
    get: async (id) => (await readMany([id]))[0] ?? null,
    getMany: readMany,
    list: (accountId, { kind, at, name = '' }, page) =>
      newestPage(
        kysely
          .selectFrom('files')
          .selectAll()
          .where('accountId', '=', accountId)
          .where('status', '<>', 'deleted')
          .where('expiresAt', '>', at)
          .$if(kind !== null, (query) => query.where('kind', '=', kind!))
          .$if(name !== '', (query) =>
            query.where(sql<boolean>`filename ilike ${`%${name.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`}`),
          ),
        page,
        (row) => row,
      ),
    async findImport(accountId, importHash, { since, at }) {
      const row = await kysely
        .selectFrom('files')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('importHash', '=', importHash)
        .where('createdAt', '>=', since)
        .where('expiresAt', '>', at)
        .where('status', 'not in', ['invalid', 'deleted'])
        .orderBy('createdAt', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ?? null;
    },
    async expired(at, limit) {
      const rows = await kysely
        .selectFrom('files')
        .selectAll()
        .where('expiresAt', '<=', at)
        .where('status', '<>', 'deleted')
        .orderBy('expiresAt')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows;
    },
    async expiredBefore(at, limit) {
      const rows = await kysely
        .selectFrom('files')
        .select('id')
        .where('expiresAt', '<=', at)
        .orderBy('expiresAt')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async usedKeys(keys) {
      if (keys.length === 0) return new Set();
      const { rows } = await sql<{ key: string }>`
        select key from unnest(${[...keys]}::text[]) as key
        where exists (select from files where object_key = key)
          or exists (select from files where peaks_key = key)`.execute(kysely);
      return new Set(rows.map(({ key }) => key));
    },
  };
}

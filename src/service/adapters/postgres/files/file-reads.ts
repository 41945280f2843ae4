import { sql } from 'kysely';
import type { FileStore } from '../../../rules/files/file-store.ts';
import type { FileKind } from '../../../rules/files/stored-file.ts';
import { anyOf, batchReads } from '../database/batched-reads.ts';
import { newestPage } from '../database/cursor.ts';
import type { Database } from '../database/database.ts';

type FileReads = Pick<
  FileStore,
  'get' | 'getMany' | 'list' | 'findImport' | 'expired' | 'expiredBefore' | 'usedKeys' | 'totals' | 'storage'
>;

export function createFileReads({ kysely }: Database): FileReads {
  const readMany = batchReads(
    async (ids) => await kysely.selectFrom('files').selectAll().where('id', '=', anyOf(ids)).execute(),
  );

  return {
    get: async (id) => (await readMany([id]))[0] ?? null,
    getMany: readMany,
    list: (accountId, { kind, at }, page) =>
      newestPage(
        kysely
          .selectFrom('files')
          .selectAll()
          .where('accountId', '=', accountId)
          .where('status', '<>', 'deleted')
          .where('expiresAt', '>', at)
          .$if(kind !== null, (query) => query.where('kind', '=', kind!)),
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
    async totals() {
      const row = await kysely
        .selectFrom('files')
        .select([
          (expressions) => expressions.fn.countAll<number>().as('files'),
          sql<number>`coalesce(sum(size_bytes), 0)::bigint`.as('bytes'),
        ])
        .where('objectKey', 'is not', null)
        .executeTakeFirstOrThrow();
      return { files: row.files, bytes: row.bytes };
    },
    async storage(at) {
      const { rows } = await sql<{ kind: FileKind; files: number; bytes: number; expiring: number }>`
        select kind, count(*)::int as files, coalesce(sum(size_bytes), 0)::bigint as bytes,
          coalesce(sum(size_bytes) filter (where expires_at < ${new Date(at.getTime() + 3_600_000)}), 0)::bigint as expiring
        from files where object_key is not null group by kind`.execute(kysely);
      const of = (kind: FileKind) => {
        const { files = 0, bytes = 0 } = rows.find((row) => row.kind === kind) ?? {};
        return { files, bytes };
      };
      const expiringBytes = rows.reduce((sum, { expiring }) => sum + expiring, 0);
      return { originals: of('original'), outputs: of('output'), expiringBytes };
    },
  };
}

import { sql, type Kysely } from 'kysely';
import type { FileStore } from '../../../rules/files/file-store.ts';
import type { FileKind } from '../../../rules/files/stored-file.ts';
import type { Tables } from '../database/schema.ts';

/** What files take, and what they were made of. */
export function createFileSums(kysely: Kysely<Tables>): Pick<FileStore, 'kept' | 'sourcesOf' | 'totals' | 'storage'> {
  return {
    async kept(accountId, at) {
      const { rows } = await sql<{ files: number; bytes: number }>`
        select count(*)::int as files, coalesce(sum(size_bytes), 0)::bigint as bytes from files
        where account_id = ${accountId} and status <> 'deleted' and expires_at > ${at}`.execute(kysely);
      return rows[0] ?? { files: 0, bytes: 0 };
    },
    async sourcesOf(accountId, ids) {
      if (ids.length === 0) return new Map();
      // Jobs are older than what they made, and files are kept for days.
      const { rows } = await sql<{ id: string; sources: string[] }>`
        with oldest as (
          select min(created_at) - interval '7 days' as at from files where id = any (${[...ids]}::text[])
        )
        select made.id, array(select jsonb_array_elements_text(jsonb_path_query_array(inputs, '$.*[*]'))) as sources
          from jobs cross join unnest(output_file_ids) as made (id)
          where account_id = ${accountId} and created_at > (select at from oldest)
            and made.id = any (${[...ids]}::text[])
        union all
        select made.id, file_ids as sources from chains cross join unnest(output_file_ids) as made (id)
          where account_id = ${accountId} and created_at > (select at from oldest)
            and made.id = any (${[...ids]}::text[])`.execute(kysely);
      return new Map(rows.map(({ id, sources }) => [id, sources]));
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

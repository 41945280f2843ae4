import { sql } from 'kysely';
import type { EditStore } from '../../../rules/edits/edit-store.ts';
import type { Database } from '../database/database.ts';

const versionFields = ['id', 'name', 'seconds', 'transcriptFileId', 'savedAt'] as const;

type VersionQueries = Pick<EditStore, 'addVersion' | 'versions' | 'version' | 'removeVersion' | 'project' | 'keep'>;

/** Edits by a name, and what is kept with an edit. */
export function versionQueries({ kysely }: Database): VersionQueries {
  return {
    async addVersion({ id, fileId, accountId, name, seconds, version }) {
      const row = await kysely
        .insertInto('edit_versions')
        .columns(['id', 'fileId', 'accountId', 'name', 'seconds', 'transcriptFileId', 'state'])
        .expression((from) =>
          from
            .selectFrom('edits')
            .select(({ val }) => [
              val(id).as('id'),
              'fileId',
              'accountId',
              val(name).as('name'),
              sql<number>`${seconds}::double precision`.as('seconds'),
              'transcriptFileId',
              'state',
            ])
            .where('fileId', '=', fileId)
            .where('accountId', '=', accountId)
            .where('version', '=', version),
        )
        .returning(versionFields)
        .executeTakeFirst();
      return row ?? null;
    },
    versions: (accountId, fileId) =>
      kysely
        .selectFrom('edit_versions')
        .select(versionFields)
        .where('fileId', '=', fileId)
        .where('accountId', '=', accountId)
        .orderBy('savedAt')
        .execute(),
    async version(accountId, fileId, id) {
      const row = await kysely
        .selectFrom('edit_versions')
        .selectAll()
        .where('id', '=', id)
        .where('fileId', '=', fileId)
        .where('accountId', '=', accountId)
        .executeTakeFirst();
      return row ?? null;
    },
    async removeVersion(accountId, fileId, id) {
      await kysely
        .deleteFrom('edit_versions')
        .where('id', '=', id)
        .where('fileId', '=', fileId)
        .where('accountId', '=', accountId)
        .execute();
    },
    async project(accountId, fileId, keyStart, usualSeconds) {
      const { rows } = await sql<{ id: string; bytes: number; expiresAt: Date }>`
        select id, coalesce(size_bytes, 0) as bytes, expires_at from files
        where account_id = ${accountId} and status = 'ready' and id in (
          select ${fileId}
          union select transcript_file_id from edits where file_id = ${fileId}
          union select transcript_file_id from edit_versions where file_id = ${fileId}
          union select unnest(output_file_ids) from jobs join idempotency on target_id = jobs.id
            where jobs.account_id = ${accountId} and owner = ${accountId} and scope = 'job'
              and starts_with(key, ${keyStart}))`.execute(kysely);
      const ids = rows.map(({ id }) => id);
      const { rows: others } = await sql<{ bytes: number }>`
        select coalesce(sum(size_bytes), 0)::bigint as bytes from files
        where account_id = ${accountId} and status = 'ready' and id <> all (${ids}::text[])
          and expires_at > created_at + make_interval(secs => ${usualSeconds + 60})`.execute(kysely);
      return {
        ids,
        bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
        keptUntil: rows.find(({ id }) => id === fileId)?.expiresAt ?? new Date(0),
        otherBytes: others[0]?.bytes ?? 0,
      };
    },
    async keep(accountId, ids, until) {
      if (ids.length === 0) return;
      await kysely
        .updateTable('files')
        .set({ expiresAt: until })
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .where('status', '=', 'ready')
        .where('expiresAt', '<', until)
        .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
        .execute();
    },
  };
}

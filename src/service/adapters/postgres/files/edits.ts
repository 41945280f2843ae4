import { type Selectable, sql } from 'kysely';
import { toolIds } from '../../../../library/contract/tool-ids.ts';
import { toolWork } from '../../../../library/contract/tool-work.ts';
import type { EditStore, StoredEdit } from '../../../rules/edits/edit-store.ts';
import type { Database } from '../database/database.ts';
import type { EditTable } from '../database/schema.ts';
import { versionQueries } from './edit-versions.ts';

/** Of PostgreSQL: a key of another table does not exist. */
const missingKey = '23503';

/** Tools that write down what is said in their input. */
const transcribers = toolIds.filter((id) => toolWork[id].transcriptOf === 'input');

/** Steps of an earlier version do not lead to this one: the release before has saved it. */
const storedEdit = ({ historyVersion, ...edit }: Selectable<EditTable>): StoredEdit => ({
  ...edit,
  history: historyVersion === edit.version ? edit.history : null,
});

export function createEditStore(database: Database): EditStore {
  const { kysely } = database;
  return {
    async get(fileId) {
      const row = await kysely.selectFrom('edits').selectAll().where('fileId', '=', fileId).executeTakeFirst();
      return row === undefined ? null : storedEdit(row);
    },
    async save({ fileId, accountId, transcriptFileId, state, history, version }) {
      const values = {
        transcriptFileId,
        state: JSON.stringify(state),
        history: history === null ? null : JSON.stringify(history),
        historyVersion: version + 1,
        version: version + 1,
      };
      if (version > 0) {
        const row = await kysely
          .updateTable('edits')
          .set({ ...values, savedAt: sql<Date>`clock_timestamp()` })
          .where('fileId', '=', fileId)
          .where('accountId', '=', accountId)
          .where('version', '=', version)
          .returningAll()
          .executeTakeFirst();
        return row === undefined ? null : storedEdit(row);
      }
      try {
        const row = await kysely
          .insertInto('edits')
          .values({ ...values, fileId, accountId })
          .onConflict((conflict) => conflict.column('fileId').doNothing())
          .returningAll()
          .executeTakeFirst();
        return row === undefined ? null : storedEdit(row);
      } catch (thrown) {
        if ((thrown as { readonly code?: unknown }).code === missingKey) return null;
        throw thrown;
      }
    },
    async transcribed(accountId, fileId) {
      const rows = await kysely
        .selectFrom('jobs')
        .select([
          'outputFileIds',
          sql<string | null>`result->>'language'`.as('language'),
          sql<boolean>`coalesce(options->>'translate' = 'true', false)`.as('isTranslation'),
        ])
        .where('accountId', '=', accountId)
        .where('tool', 'in', transcribers)
        .where('status', '=', 'succeeded')
        .where(sql<boolean>`inputs @> ${JSON.stringify({ file_id: [fileId] })}::jsonb`)
        .orderBy('createdAt', 'desc')
        .limit(10)
        .execute();
      return rows;
    },
    ...versionQueries(database),
    jobs: (accountId, keyStart) =>
      kysely
        .selectFrom('jobs')
        .innerJoin('idempotency', 'idempotency.targetId', 'jobs.id')
        .select(['jobs.id', 'jobs.tool', 'jobs.status', 'jobs.options'])
        .where('jobs.accountId', '=', accountId)
        .where('idempotency.owner', '=', accountId)
        .where('idempotency.scope', '=', 'job')
        .where(sql<boolean>`starts_with(idempotency.key, ${keyStart})`)
        .orderBy('jobs.createdAt', 'desc')
        .limit(20)
        .execute(),
  };
}

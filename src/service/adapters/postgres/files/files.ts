import type { Kysely, Transaction } from 'kysely';
import type { FileStore, NewFile } from '../../../rules/files/file-store.ts';
import type { Idempotency } from '../../../rules/shared/idempotency.ts';
import type { AccountUsage } from '../../../rules/accounts/quotas.ts';
import type { StoredFile } from '../../../rules/files/stored-file.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { lockName } from '../../advisory-locks.ts';
import { announce } from '../database/changes.ts';
import type { Database } from '../database/database.ts';
import { orderWaiting } from '../jobs/legacy-jobs.ts';
import { findTarget, lockKey, rememberTarget } from '../database/idempotency.ts';
import { createParts } from './file-parts.ts';
import { createFileReads } from './file-reads.ts';
import { fromFilePatch, fromNewFile } from '../database/rows.ts';
import type { Tables } from '../database/schema.ts';
import { usageOf } from '../database/usage.ts';

/** @param queue null: tasks are not enqueued here; a worker's reconciler does it */
export function createFileStore(database: Database, queue: Enqueuer | null): FileStore {
  async function create(
    file: NewFile,
    idempotency: Idempotency | null,
    admit?: (usage: AccountUsage) => void,
  ): Promise<{ file: StoredFile; created: boolean }> {
    return database.transaction(async (trx) => {
      const scope = { owner: file.accountId ?? file.visitor ?? '', scope: 'file' } as const;
      if (idempotency !== null) {
        await lockKey(trx, scope, idempotency);
        const earlier = await findTarget(trx, scope, idempotency);
        if (earlier !== null) return { file: await getFile(trx, earlier), created: false };
      }
      if (admit !== undefined && file.accountId !== null) {
        await lockFilesOf(trx, file.accountId);
        admit(await usageOf(trx, file.accountId));
      }
      const row = await trx.insertInto('files').values(fromNewFile(file)).returningAll().executeTakeFirstOrThrow();
      if (idempotency !== null) await rememberTarget(trx, scope, idempotency, file.id);
      // An import: enqueue its fetch in the same transaction.
      if (isImporting(file)) await queue?.enqueue(trx, [{ kind: 'import', id: file.id, owner: ownerOf(file) }]);
      // Already uploaded: enqueue its check.
      else if (file.status === 'processing') await queue?.enqueue(trx, [{ kind: 'check', id: file.id }]);
      await announce(trx, [file.id]);
      return { file: row, created: true };
    });
  }

  return {
    create,
    async update(id, from, patch, task, admit) {
      if (from.length === 0) return null;
      const changes = fromFilePatch(patch);
      return database.transaction(async (trx) => {
        // The same lock order as in `create`: the account before its rows.
        if (admit !== undefined) await lockAccountOf(trx, id);
        // Also updates the row without changes, for its lock and the status condition.
        const row = await trx
          .updateTable('files')
          .set(Object.keys(changes).length === 0 ? { id } : changes)
          .where('id', '=', id)
          .where('status', 'in', [...from])
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return null;
        if (admit !== undefined && row.accountId !== null) admit(await usageOf(trx, row.accountId));
        if (task !== undefined) await queue?.enqueue(trx, [{ kind: task, id, owner: ownerOf(row) }]);
        if (patch.status !== undefined && patch.status !== 'processing') await orderWaiting(trx, queue, id);
        await announce(trx, [id]);
        return row;
      });
    },
    async requestPeaks(id) {
      return database.transaction(async (trx) => {
        const first = await trx
          .updateTable('files')
          .set({ peaksStatus: 'processing' })
          .where('id', '=', id)
          .where('peaksStatus', 'is', null)
          .returningAll()
          .executeTakeFirst();
        if (first === undefined) {
          const row = await trx.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst();
          return row ?? null;
        }
        await queue?.enqueue(trx, [{ kind: 'peaks', id }]);
        await announce(trx, [id]);
        return first;
      });
    },

    ...createFileReads(database),
    ...createParts(database),

    async remove(ids) {
      if (ids.length === 0) return;
      await database.transaction(async (trx) => {
        await trx
          .deleteFrom('files')
          .where('id', 'in', [...ids])
          .execute();
        // A key is free again when its file is deleted.
        await trx
          .deleteFrom('idempotency')
          .where('scope', '=', 'file')
          .where('targetId', 'in', [...ids])
          .execute();
        await announce(trx, ids);
      });
    },
  };
}

function isImporting(file: Pick<StoredFile, 'status' | 'upload' | 'objectKey'>): boolean {
  return file.status === 'processing' && file.upload?.mode === 'import' && file.objectKey === null;
}

const lockFilesOf = (trx: Transaction<Tables>, accountId: string): Promise<void> => lockName(trx, 'files', accountId);

async function lockAccountOf(trx: Transaction<Tables>, fileId: string): Promise<void> {
  const row = await trx.selectFrom('files').select('accountId').where('id', '=', fileId).executeTakeFirst();
  if (row?.accountId) await lockFilesOf(trx, row.accountId);
}

async function getFile(db: Kysely<Tables> | Transaction<Tables>, id: string): Promise<StoredFile> {
  return await db.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Links of one owner are fetched one at a time. */
const ownerOf = ({
  id,
  accountId,
  visitor,
}: {
  id: string;
  accountId: string | null;
  visitor?: string | null;
}): string => accountId ?? visitor ?? id;

import { sql } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { FileStore } from '../../../rules/files/file-store.ts';
import type { Database } from '../database/database.ts';

/** Multipart uploads: the object store's upload id of a file, and the receipts of its parts. */
export function createParts(
  database: Database,
): Pick<FileStore, 'beginUpload' | 'forgetUpload' | 'beginPart' | 'endPart' | 'listParts'> {
  const { kysely } = database;
  return {
    async beginUpload(fileId, uploadId) {
      const row = await kysely
        .updateTable('files')
        .set({ uploadId: sql<string>`coalesce(upload_id, ${uploadId})` })
        .where('id', '=', fileId)
        .where('status', '=', 'awaiting_upload')
        .returning('uploadId')
        .executeTakeFirst();
      return row?.uploadId ?? null;
    },
    async forgetUpload(fileId, uploadId) {
      await database.transaction(async (trx) => {
        const row = await trx
          .updateTable('files')
          .set({ uploadId: null })
          .where('id', '=', fileId)
          .where('uploadId', '=', uploadId)
          .returning('id')
          .executeTakeFirst();
        if (row !== undefined) await trx.deleteFrom('file_parts').where('fileId', '=', fileId).execute();
      });
    },
    async beginPart(fileId, number) {
      await kysely.deleteFrom('file_parts').where('fileId', '=', fileId).where('number', '=', number).execute();
    },
    async endPart(fileId, { number, sizeBytes, etag }) {
      const receipt = { sizeBytes, etag };
      await kysely
        .insertInto('file_parts')
        .values({ fileId, number, ...receipt })
        .onConflict((conflict) => conflict.columns(['fileId', 'number']).doUpdateSet(receipt))
        .execute()
        .catch((error: { code?: unknown }) => {
          if (error.code !== '23503') throw error;
          throw new EarshotError('not_found', `There is no file ${fileId}`, { details: { id: fileId } });
        });
    },
    async listParts(fileId) {
      const rows = await kysely
        .selectFrom('file_parts')
        .select(['number', 'sizeBytes', 'etag'])
        .where('fileId', '=', fileId)
        .orderBy('number')
        .execute();
      return rows.map(({ number, sizeBytes, etag }) => ({ number, sizeBytes, etag }));
    },
  };
}

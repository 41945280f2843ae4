import { sql } from 'kysely';
import type { ShareStore } from '../../../rules/edits/share-store.ts';
import { lockName } from '../../advisory-locks.ts';
import type { Database } from '../database/database.ts';

/** Texts of edits that others may read by a link, and their comments. */
export function createShareStore(database: Database): ShareStore {
  const { kysely } = database;
  const living = () =>
    kysely
      .selectFrom('edit_shares')
      .selectAll()
      .where('expiresAt', '>', sql<Date>`clock_timestamp()`);
  return {
    add: ({ sentences, ...share }, most) =>
      database.transaction(async (trx) => {
        await lockName(trx, 'edit-shares', share.fileId);
        await trx
          .deleteFrom('edit_shares')
          .where('fileId', '=', share.fileId)
          .where('expiresAt', '<=', sql<Date>`clock_timestamp()`)
          .execute();
        const { rows } = await sql<{ free: boolean }>`
          select exists (select from edits where file_id = ${share.fileId} and account_id = ${share.accountId})
            and (select count(*) from edit_shares where file_id = ${share.fileId}) < ${most} as free`.execute(trx);
        if (rows[0]?.free !== true) return null;
        return await trx
          .insertInto('edit_shares')
          .values({ ...share, sentences: JSON.stringify(sentences) })
          .returningAll()
          .executeTakeFirstOrThrow();
      }),
    get: async (id) => (await living().where('id', '=', id).executeTakeFirst()) ?? null,
    list: (accountId, fileId) =>
      living().where('fileId', '=', fileId).where('accountId', '=', accountId).orderBy('madeAt', 'desc').execute(),
    async remove(accountId, fileId, id) {
      await kysely
        .deleteFrom('edit_shares')
        .where('id', '=', id)
        .where('fileId', '=', fileId)
        .where('accountId', '=', accountId)
        .execute();
    },
    addComment: (comment, most) =>
      database.transaction(async (trx) => {
        await lockName(trx, 'edit-comments', comment.shareId);
        const { rows } = await sql<{ free: boolean }>`
          select exists (select from edit_shares where id = ${comment.shareId})
            and (select count(*) from edit_comments where share_id = ${comment.shareId}) < ${most} as free`.execute(
          trx,
        );
        if (rows[0]?.free !== true) return false;
        await trx.insertInto('edit_comments').values(comment).execute();
        return true;
      }),
    comments: async (shareIds) =>
      shareIds.length === 0
        ? []
        : kysely.selectFrom('edit_comments').selectAll().where('shareId', 'in', shareIds).orderBy('madeAt').execute(),
    async removeComment(accountId, fileId, id) {
      await kysely
        .deleteFrom('edit_comments')
        .where('id', '=', id)
        .where('shareId', 'in', (from) =>
          from.selectFrom('edit_shares').select('id').where('fileId', '=', fileId).where('accountId', '=', accountId),
        )
        .execute();
    },
  };
}

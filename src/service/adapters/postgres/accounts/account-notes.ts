import { sql } from 'kysely';
import type { AccountNoteStore } from '../../../rules/accounts/account-notes.ts';
import { lockName } from '../../advisory-locks.ts';
import type { Database } from '../database/database.ts';

/** What the website keeps for accounts. */
export function createAccountNoteStore(database: Database): AccountNoteStore {
  const { kysely } = database;
  return {
    list: (accountId, kind) =>
      kysely
        .selectFrom('account_notes')
        .select(['name', 'value'])
        .where('accountId', '=', accountId)
        .where('kind', '=', kind)
        .orderBy('savedAt', 'desc')
        .execute(),
    async get(accountId, kind, name) {
      const row = await kysely
        .selectFrom('account_notes')
        .select(['name', 'value'])
        .where('accountId', '=', accountId)
        .where('kind', '=', kind)
        .where('name', '=', name)
        .executeTakeFirst();
      return row ?? null;
    },
    async save(accountId, kind, { name, value }, { most, dropsOldest }) {
      return await database.transaction(async (trx) => {
        await lockName(trx, 'account-notes', accountId);
        const { count } = await trx
          .selectFrom('account_notes')
          .select(sql<number>`count(*)::int`.as('count'))
          .where('accountId', '=', accountId)
          .where('kind', '=', kind)
          .where('name', '<>', name)
          .executeTakeFirstOrThrow();
        if (count >= most && !dropsOldest) return { tooMany: true };
        await trx
          .insertInto('account_notes')
          .values({ accountId, kind, name, value: JSON.stringify(value) })
          .onConflict((clash) =>
            clash
              .columns(['accountId', 'kind', 'name'])
              .doUpdateSet({ value: JSON.stringify(value), savedAt: sql<Date>`clock_timestamp()` }),
          )
          .execute();
        await sql`
          delete from account_notes where account_id = ${accountId} and kind = ${kind} and name in (
            select name from account_notes where account_id = ${accountId} and kind = ${kind}
            order by saved_at desc offset ${most})`.execute(trx);
        return { tooMany: false };
      });
    },
    async remove(accountId, kind, name) {
      await kysely
        .deleteFrom('account_notes')
        .where('accountId', '=', accountId)
        .where('kind', '=', kind)
        .where('name', '=', name)
        .execute();
    },
  };
}

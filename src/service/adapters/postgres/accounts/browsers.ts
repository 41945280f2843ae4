import type { SignInStore } from '../../../rules/accounts/sign-in-store.ts';
import type { Database } from '../database/database.ts';

/** Browsers that have signed in before. */
export function createBrowsers(database: Database): Pick<SignInStore, 'knowsBrowser' | 'keepBrowser'> {
  return {
    async knowsBrowser(hash, email) {
      const row = await database.kysely
        .selectFrom('known_browsers')
        .innerJoin('accounts', 'accounts.id', 'known_browsers.accountId')
        .select('known_browsers.hash')
        .where('known_browsers.hash', '=', hash)
        .where('accounts.email', '=', email)
        .executeTakeFirst();
      return row !== undefined;
    },
    async keepBrowser(accountId, { before, hash }, at) {
      return database.transaction(async (trx) => {
        // Other accounts that sign in in this browser keep it.
        const moved =
          before === null
            ? []
            : await trx
                .updateTable('known_browsers')
                .set({ hash })
                .where('hash', '=', before)
                .returning('accountId')
                .execute();
        await trx
          .insertInto('known_browsers')
          .values({ hash, accountId, seenAt: at })
          .onConflict((conflict) => conflict.columns(['hash', 'accountId']).doUpdateSet({ seenAt: at }))
          .execute();
        return moved.some((row) => row.accountId === accountId);
      });
    },
  };
}

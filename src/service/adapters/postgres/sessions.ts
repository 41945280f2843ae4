import type { AccountStore } from '../../rules/ports.ts';
import { refuseMissingAccount } from './accounts.ts';
import type { Database } from './database.ts';
import { toAccount } from './rows.ts';

export function createSessions({
  kysely,
}: Database): Pick<AccountStore, 'addSession' | 'findSession' | 'removeSessions'> {
  return {
    async addSession({ hash, accountId, expiresAt }) {
      await kysely
        .insertInto('sessions')
        .values({ hash, account_id: accountId, expires_at: expiresAt })
        .execute()
        .catch((error: unknown) => refuseMissingAccount(error, accountId));
    },
    async findSession(hash, at) {
      const row = await kysely
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
        .selectAll('accounts')
        .where('sessions.hash', '=', hash)
        .where('sessions.expires_at', '>', at)
        .executeTakeFirst();
      return row === undefined ? null : toAccount(row);
    },
    async removeSessions(accountId) {
      const { numDeletedRows } = await kysely
        .deleteFrom('sessions')
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

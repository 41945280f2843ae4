import type { AccountStore } from '../../rules/ports.ts';
import { refuseMissingAccount } from './accounts.ts';
import type { Database } from './database.ts';

export function createSessions({
  kysely,
}: Database): Pick<AccountStore, 'addSession' | 'findSession' | 'removeSessions'> {
  return {
    async addSession({ hash, accountId, expiresAt }) {
      await kysely
        .insertInto('sessions')
        .values({ hash, accountId, expiresAt })
        .execute()
        .catch((error: unknown) => refuseMissingAccount(error, accountId));
    },
    async findSession(hash, at) {
      const row = await kysely
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.id', 'sessions.accountId')
        .selectAll('accounts')
        .where('sessions.hash', '=', hash)
        .where('sessions.expiresAt', '>', at)
        .executeTakeFirst();
      return row ?? null;
    },
    async removeSessions(accountId) {
      const { numDeletedRows } = await kysely
        .deleteFrom('sessions')
        .where('accountId', '=', accountId)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

import { type Selectable, sql } from 'kysely';
import type { AccountStore } from '../../../rules/accounts/account-store.ts';
import type { Session } from '../../../rules/accounts/sign-in-store.ts';
import { refuseMissingAccount } from './accounts.ts';
import type { Database } from '../database/database.ts';
import type { SessionTable } from '../database/schema.ts';

type Sessions =
  | 'addSession'
  | 'findSession'
  | 'touchSession'
  | 'listSessions'
  | 'endSession'
  | 'endOtherSessions'
  | 'removeSessions';

/** A use is recorded at most this often. */
const touchEveryMs = 5 * 60_000;

const toSession = ({ hash: _hash, ...session }: Selectable<SessionTable>): Session => session;

/**
 * Signs an account out everywhere, with the programs that may act for it.
 * @param keptId the session to keep; null: none
 */
async function endAll(database: Database, accountId: string, keptId: string | null): Promise<number> {
  return database.transaction(async (trx) => {
    await trx.deleteFrom('program_records').where('accountId', '=', accountId).execute();
    await trx.deleteFrom('known_browsers').where('accountId', '=', accountId).execute();
    const { numDeletedRows } = await trx
      .deleteFrom('sessions')
      .where('accountId', '=', accountId)
      .$if(keptId !== null, (query) => query.where('id', '<>', keptId))
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}

export function createSessions(database: Database): Pick<AccountStore, Sessions> {
  const { kysely } = database;
  return {
    async addSession({ idleSeconds = null, ...session }) {
      const row = await kysely
        .insertInto('sessions')
        .values({ ...session, idleSeconds })
        .returningAll()
        .executeTakeFirstOrThrow()
        .catch((error: unknown) => refuseMissingAccount(error, session.accountId));
      return toSession(row);
    },
    async findSession(hash, at) {
      // One round trip, since this runs with every request of a page.
      const row = await kysely
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.id', 'sessions.accountId')
        .selectAll('accounts')
        .select([
          'sessions.id as sessionId',
          'sessions.createdAt as begunAt',
          'seenAt',
          'expiresAt',
          'idleSeconds',
          'method',
          'device',
        ])
        .where('sessions.hash', '=', hash)
        .where('sessions.expiresAt', '>', at)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { sessionId, begunAt, seenAt, expiresAt, idleSeconds, method, device, ...account } = row;
      const times = { createdAt: begunAt, seenAt, expiresAt, idleSeconds };
      return { account, session: { id: sessionId, accountId: account.id, ...times, method, device } };
    },
    async touchSession(id, at) {
      await kysely
        .updateTable('sessions')
        .set({
          seenAt: at,
          expiresAt: sql<Date>`case when idle_seconds is null then expires_at
            else ${at}::timestamptz + idle_seconds * interval '1 second' end`,
        })
        .where('id', '=', id)
        .where('seenAt', '<', new Date(at.getTime() - touchEveryMs))
        .execute();
    },
    async listSessions(accountId, at) {
      const rows = await kysely
        .selectFrom('sessions')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('expiresAt', '>', at)
        .orderBy('seenAt', 'desc')
        .orderBy('id')
        .limit(200)
        .execute();
      return rows.map(toSession);
    },
    async endSession(accountId, id) {
      const { numDeletedRows } = await kysely
        .deleteFrom('sessions')
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    endOtherSessions: (accountId, keptId) => endAll(database, accountId, keptId),
    removeSessions: (accountId) => endAll(database, accountId, null),
  };
}

import { type Kysely, sql } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { AccountStore } from '../../../rules/accounts/account-store.ts';
import type { ApiKey } from '../../../rules/accounts/account.ts';
import { refuseMissingAccount } from './accounts.ts';
import type { Database } from '../database/database.ts';
import { lockAccount } from '../money/ledger.ts';
import { toApiKey } from '../database/rows.ts';
import type { Tables } from '../database/schema.ts';

type ApiKeys = Pick<AccountStore, 'addKey' | 'addFirstKey' | 'findKey' | 'touchKey' | 'listKeys' | 'revokeKey'>;

export function createApiKeys(database: Database): ApiKeys {
  const { kysely } = database;
  return {
    addKey: (key) => insertKey(kysely, key),
    addFirstKey: (key) =>
      database.transaction(async (trx) => {
        // Concurrent calls wait here, and then see the key.
        await lockAccount(trx, key.accountId);
        const has = await trx
          .selectFrom('api_keys')
          .select('id')
          .where('accountId', '=', key.accountId)
          .limit(1)
          .executeTakeFirst();
        return has === undefined ? insertKey(trx, key) : null;
      }),
    async findKey(hash) {
      // One round trip: this runs with every request.
      const row = await kysely
        .selectFrom('api_keys')
        .innerJoin('accounts', 'accounts.id', 'api_keys.accountId')
        .selectAll('accounts')
        .select([
          'api_keys.id as keyId',
          'api_keys.name as keyName',
          'api_keys.prefix',
          'api_keys.createdAt as keyCreatedAt',
          'api_keys.lastUsedAt',
          'api_keys.revokedAt',
        ])
        .where('api_keys.hash', '=', hash)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { keyId, keyName, keyCreatedAt, prefix, lastUsedAt, revokedAt, ...account } = row;
      const key = { id: keyId, accountId: account.id, name: keyName, prefix, createdAt: keyCreatedAt };
      return { account, key: { ...key, lastUsedAt, revokedAt } };
    },
    async touchKey(id, at) {
      await kysely
        .updateTable('api_keys')
        .set({ lastUsedAt: at })
        .where('id', '=', id)
        .where((where) =>
          where.or([where('lastUsedAt', 'is', null), where('lastUsedAt', '<', new Date(at.getTime() - 60_000))]),
        )
        .execute();
    },
    async listKeys(accountId) {
      const rows = await kysely
        .selectFrom('api_keys')
        .selectAll()
        .where('accountId', '=', accountId)
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
      return rows.map(toApiKey);
    },
    async revokeKey(idOrPrefix, at) {
      const rows = await kysely
        .selectFrom('api_keys')
        .select('id')
        .where((where) => where.or([where('id', '=', idOrPrefix), where('prefix', '=', idOrPrefix)]))
        .limit(2)
        .execute();
      const [found, another] = rows;
      if (found === undefined) return null;
      if (another !== undefined)
        throw new EarshotError('conflict', `Several API keys begin with ${idOrPrefix}; expected the id of one`, {
          nextAction: 'List the keys and give the id of one.',
        });
      // The time of the first revocation stays.
      const row = await kysely
        .updateTable('api_keys')
        .set({ revokedAt: sql<Date>`coalesce(revoked_at, ${at})` })
        .where('id', '=', found.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return toApiKey(row);
    },
  };
}

async function insertKey(
  db: Kysely<Tables>,
  { id, accountId, name, prefix, hash }: Parameters<AccountStore['addKey']>[0],
): Promise<ApiKey> {
  const row = await db
    .insertInto('api_keys')
    .values({ id, accountId, name, prefix, hash })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => refuseMissingAccount(error, accountId));
  return toApiKey(row);
}

import { sql } from 'kysely';
import type { TokenKeyStore } from '../../rules/token-keys.ts';
import type { Database } from './database.ts';

export function createTokenKeyStore(database: Database): TokenKeyStore {
  const { kysely } = database;
  return {
    async list() {
      const rows = await kysely.selectFrom('token_keys').selectAll().orderBy('madeAt', 'desc').orderBy('id').execute();
      return rows.map(({ id, secret, madeAt }) => ({ id, secret, madeAt }));
    },
    async add({ id, secret, madeAt }, unlessSince) {
      await database.transaction(async (trx) => {
        // Processes that start at the same time create one key. The leader holds 7305543 for as long as it lives.
        await sql`select pg_advisory_xact_lock(7305545)`.execute(trx);
        const later = await trx
          .selectFrom('token_keys')
          .select('id')
          .where('madeAt', '>', unlessSince)
          .limit(1)
          .executeTakeFirst();
        if (later === undefined) await trx.insertInto('token_keys').values({ id, secret, madeAt }).execute();
      });
    },
    async remove(ids) {
      if (ids.length > 0) await kysely.deleteFrom('token_keys').where('id', 'in', ids).execute();
    },
  };
}

import type { TokenKeyStore } from '../../../rules/shared/token-keys.ts';
import { lockFor } from '../../advisory-locks.ts';
import type { Database } from '../database/database.ts';

/** @param table default: the keys of links */
export function createTokenKeyStore(
  database: Database,
  table: 'token_keys' | 'program_keys' = 'token_keys',
): TokenKeyStore {
  const { kysely } = database;
  return {
    async list() {
      const rows = await kysely.selectFrom(table).selectAll().orderBy('madeAt', 'desc').orderBy('id').execute();
      return rows.map(({ id, secret, madeAt }) => ({ id, secret, madeAt }));
    },
    async add({ id, secret, madeAt }, unlessSince) {
      await database.transaction(async (trx) => {
        await lockFor(trx, 'tokenKeys');
        const later = await trx
          .selectFrom(table)
          .select('id')
          .where('madeAt', '>', unlessSince)
          .limit(1)
          .executeTakeFirst();
        if (later === undefined) await trx.insertInto(table).values({ id, secret, madeAt }).execute();
      });
    },
    async remove(ids) {
      if (ids.length > 0) await kysely.deleteFrom(table).where('id', 'in', ids).execute();
    },
  };
}

import { sql } from 'kysely';
import type { ChainPresetStore } from '../../../rules/chains/chain-store.ts';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Database } from '../database/database.ts';
import { lockName } from '../../advisory-locks.ts';

/** Chains that accounts saved with a name. */
export function createChainPresetStore(database: Database): ChainPresetStore {
  const { kysely } = database;
  return {
    async list(accountId) {
      return await kysely
        .selectFrom('chain_presets')
        .select(['name', 'chain', 'createdAt'])
        .where('accountId', '=', accountId)
        .orderBy('name')
        .execute();
    },
    async get(accountId, name) {
      const row = await kysely
        .selectFrom('chain_presets')
        .select(['name', 'chain', 'createdAt'])
        .where('accountId', '=', accountId)
        .where('name', '=', name)
        .executeTakeFirst();
      return row ?? null;
    },
    async save(accountId, name, chain, most) {
      return await database.transaction(async (trx) => {
        await lockName(trx, 'presets', accountId);
        const saved = await trx
          .insertInto('chain_presets')
          .values({ accountId, name, chain: JSON.stringify(chain) })
          .onConflict((clash) => clash.columns(['accountId', 'name']).doUpdateSet({ chain: JSON.stringify(chain) }))
          .returning(['name', 'chain', 'createdAt'])
          .executeTakeFirstOrThrow();
        const { count } = await trx
          .selectFrom('chain_presets')
          .select(sql<number>`count(*)::int`.as('count'))
          .where('accountId', '=', accountId)
          .executeTakeFirstOrThrow();
        if (count > most)
          throw new EarshotError('limit_exceeded', `Expected at most ${most} presets of an account`, {
            nextAction: 'Delete one first.',
          });
        return saved;
      });
    },
    async remove(accountId, name) {
      const { numDeletedRows } = await kysely
        .deleteFrom('chain_presets')
        .where('accountId', '=', accountId)
        .where('name', '=', name)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

import type { Settings } from '../../../rules/free-runs/visitors.ts';
import type { Database } from '../database/database.ts';

export function createSettings({ kysely }: Database): Settings {
  return {
    async getOrCreate(name, make) {
      const found = await kysely.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
      if (found !== undefined) return found.value;
      await kysely
        .insertInto('settings')
        .values({ name, value: make() })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      // Settings are never deleted: it exists now.
      return (await kysely.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirstOrThrow())
        .value;
    },
  };
}

import type { Kysely, Selectable, Updateable } from 'kysely';
import { announce } from '../database/changes.ts';
import type { LegacyJobTable, Tables } from '../database/schema.ts';

type PendingTable = 'free_runs' | 'legacy_jobs';

/**
 * Changes an order whose files are arriving; only the first of concurrent calls does.
 * @returns undefined: it is no longer arriving
 */
export async function settleArriving<Table extends PendingTable>(
  trx: Kysely<Tables>,
  table: Table,
  id: string,
  changes: Updateable<Tables[Table]>,
): Promise<Selectable<Tables[Table]> | undefined> {
  const row = await trx
    // Kysely cannot type a table that is a parameter; both have these columns.
    .updateTable(table as 'legacy_jobs')
    .set(changes as Updateable<LegacyJobTable>)
    .where('id', '=', id)
    .where('status', '=', 'arriving')
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await announce(trx, [id]);
  return row as Selectable<Tables[Table]> | undefined;
}

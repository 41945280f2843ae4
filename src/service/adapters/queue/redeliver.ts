import type { Transaction } from 'kysely';
import { fromKysely, type PgBoss } from 'pg-boss';
import { takeLeases } from './leases.ts';

/** Takes the running tasks from workers, so that each is delivered again after the queue's pause. */
export const createRedeliver =
  (boss: PgBoss) =>
  /** @param which 'lost': only from those that are still without a beat */
  async <Tables>(trx: Transaction<Tables>, workerIds: readonly string[], which: 'lost' | 'any'): Promise<number> => {
    const taken = await takeLeases(trx, workerIds, which);
    // The queue expects its own column names.
    const db = fromKysely(trx.withoutPlugins());
    for (const kind of new Set(taken.map((each) => each.kind)))
      await boss.fail(
        kind,
        taken.filter((each) => each.kind === kind).map(({ entryId }) => entryId),
        { message: 'the worker is lost' },
        { db },
      );
    return taken.length;
  };

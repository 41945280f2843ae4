import type { Transaction, Updateable } from 'kysely';
import type { LegacyJobStore } from '../../../rules/legacy-jobs/legacy-job-store.ts';
import type { StoredError } from '../../../rules/shared/stored-error.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { announce } from '../database/changes.ts';
import type { Database } from '../database/database.ts';
import { moveCredits } from '../money/ledger.ts';
import { lookAt } from './legacy-job-look.ts';
import { settleArriving } from './pending-orders.ts';
import type { LegacyJobTable, Tables } from '../database/schema.ts';

/** @param queue null: tasks are not enqueued here; a worker's reconciler does it */
export function createLegacyJobStore(database: Database, queue: Enqueuer | null): LegacyJobStore {
  const { kysely } = database;

  const settle = (id: string, changes: Updateable<LegacyJobTable>): Promise<void> =>
    database.transaction(async (trx) => {
      const row = await settleArriving(trx, 'legacy_jobs', id, changes);
      // A short job may have succeeded before it was marked as ordered.
      if (row?.status === 'ordered') await deliverWhenDone(trx, queue, id);
    });

  return {
    async create(job, orderedBy) {
      await database.transaction(async (trx) => {
        // Locks the file: its check either waits for this, or has already changed the status that is read here.
        const file = await trx
          .selectFrom('files')
          .select('status')
          .where('id', '=', job.fileId)
          .forShare()
          .executeTakeFirst();
        await trx
          .insertInto('legacy_jobs')
          .values({ ...job, options: JSON.stringify(job.options) })
          .execute();
        if (orderedBy === 'task' && file?.status !== 'processing')
          await queue?.enqueue(trx, [{ kind: 'order', id: job.id }]);
      });
    },
    async get(id) {
      const row = await kysely.selectFrom('legacy_jobs').selectAll().where('id', '=', id).executeTakeFirst();
      return row ?? null;
    },
    look: (id) => lookAt(kysely, id),
    ordered: (id) => settle(id, { status: 'ordered' }),
    failed: (id, error) => settle(id, { status: 'failed', error: JSON.stringify(error), outputUrl: null }),
    async remove(id) {
      await kysely.deleteFrom('legacy_jobs').where('id', '=', id).execute();
    },
    async delivered(id) {
      await database.transaction(async (trx) => {
        await trx
          .updateTable('legacy_jobs')
          .set({ status: 'delivered', outputUrl: null })
          .where('id', '=', id)
          .where('status', '=', 'ordered')
          .execute();
        await announce(trx, [id]);
      });
    },
    undeliverable: (id, error) => database.transaction((trx) => takeBack(trx, id, error)),
  };
}

/** Returns the charge of a result that cannot be sent, and deletes the result. */
async function takeBack(trx: Transaction<Tables>, id: string, error: StoredError): Promise<readonly string[] | null> {
  const row = await trx
    .updateTable('legacy_jobs')
    .set({ status: 'failed', error: JSON.stringify(error), outputUrl: null })
    .where('id', '=', id)
    .where('status', '=', 'ordered')
    .returning('accountId')
    .executeTakeFirst();
  if (row === undefined) return null;
  const charge = await trx
    .selectFrom('ledger')
    .select('credits')
    .where('jobId', '=', id)
    .where('kind', '=', 'charge')
    .executeTakeFirst();
  if (charge !== undefined)
    await moveCredits(trx, {
      accountId: row.accountId,
      kind: 'adjustment',
      credits: -charge.credits,
      reserved: 0,
      jobId: null,
      note: `${id} could not be delivered`,
    });
  // Read the keys before they are cleared.
  const results = await trx
    .selectFrom('files')
    .select(['id', 'objectKey', 'peaksKey'])
    .where('sourceJobId', '=', id)
    .where('status', '<>', 'deleted')
    .forUpdate()
    .execute();
  const ids = results.map((result) => result.id);
  if (ids.length > 0)
    await trx
      .updateTable('files')
      .set({ status: 'deleted', objectKey: null, peaksKey: null, peaksStatus: null, peaks: null })
      .where('id', 'in', ids)
      .execute();
  await announce(trx, [id, ...ids]);
  return results.flatMap(({ objectKey, peaksKey }) => [objectKey, peaksKey].filter((key) => key !== null));
}

/** Enqueues the jobs that wait for a file which is now ready or failed. In the transaction that changes the file. */
export async function orderWaiting(trx: Transaction<Tables>, queue: Enqueuer | null, fileId: string): Promise<void> {
  const rows = await trx
    .selectFrom('legacy_jobs')
    .select('id')
    .where('fileId', '=', fileId)
    .where('status', '=', 'arriving')
    .execute();
  if (rows.length > 0)
    await queue?.enqueue(
      trx,
      rows.map(({ id }) => ({ kind: 'order', id })),
    );
}

/** Enqueues the delivery of a job's result, if it has an output URL. In the transaction that settles the job. */
export async function deliverWhenDone(trx: Transaction<Tables>, queue: Enqueuer | null, id: string): Promise<void> {
  const row = await trx
    .selectFrom('legacy_jobs')
    .innerJoin('jobs', 'jobs.id', 'legacy_jobs.id')
    .select('legacy_jobs.id')
    .where('legacy_jobs.id', '=', id)
    .where('legacy_jobs.status', '=', 'ordered')
    .where('legacy_jobs.outputUrl', 'is not', null)
    .where('jobs.status', '=', 'succeeded')
    .executeTakeFirst();
  if (row !== undefined) await queue?.enqueue(trx, [{ kind: 'deliver', id }]);
}

import { type Selectable, sql, type Transaction } from 'kysely';
import type { LegacyJob, LegacyJobStore, LegacyJobLook } from '../../rules/legacy-job-store.ts';
import type { JobStatus, StoredError } from '../../rules/records.ts';
import type { Enqueuer } from '../queue/enqueue.ts';
import { announce } from './changes.ts';
import type { Database } from './database.ts';
import { moveCredits } from './ledger.ts';
import { toLegacyJob } from './rows.ts';
import type { LegacyJobTable, Tables } from './schema.ts';

/** Columns of the status query besides the row itself. */
interface Look extends Selectable<LegacyJobTable> {
  readonly arriving: boolean;
  readonly job_status: JobStatus | null;
  readonly started: boolean;
  readonly furthest: number;
  readonly job_error: StoredError | null;
  readonly jobs_ahead: number;
  readonly output_id: string | null;
  readonly output_filename: string | null;
  readonly output_expires_at: Date | null;
}

/** @param queue null: tasks are not enqueued here; a worker's reconciler does it */
export function createLegacyJobStore(database: Database, queue: Enqueuer | null): LegacyJobStore {
  const { kysely } = database;

  /** Changes an arriving job; only the first of concurrent calls does. */
  const settle = (id: string, status: 'ordered' | 'failed', error: StoredError | null): Promise<void> =>
    database.transaction(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('legacy_jobs')
        .set({ status, ...(error === null ? {} : { error: JSON.stringify(error), output_url: null }) })
        .where('id', '=', id)
        .where('status', '=', 'arriving')
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      // A short job may have succeeded before it was marked as ordered.
      if (status === 'ordered') await deliverWhenDone(trx, queue, id);
      await announce(trx, [id]);
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
          .values({
            id: job.id,
            account_id: job.accountId,
            file_id: job.fileId,
            tool: job.tool,
            options: JSON.stringify(job.options),
            own_format: job.ownFormat,
            from_link: job.fromLink,
            output_url: job.outputUrl,
            created_at: job.createdAt,
            expires_at: job.expiresAt,
          })
          .execute();
        if (orderedBy === 'task' && file?.status !== 'processing')
          await queue?.enqueue(trx, [{ kind: 'order', id: job.id }]);
      });
    },
    async get(id) {
      const row = await kysely.selectFrom('legacy_jobs').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toLegacyJob(row);
    },
    async look(id) {
      // Without a job yet: its future position in the queue, see sharing.ts.
      const { rows } = await sql<Look>`
        select legacy.*,
          coalesce(file.status = 'processing' and file.object_key is null, false) as arriving,
          job.status as job_status, job.attempt > 0 as started, job.furthest, job.error as job_error,
          job.output_file_ids[1] as output_id, result.filename as output_filename,
          result.expires_at as output_expires_at,
          case
            when job.status = 'queued' then
              (select count(*) from jobs as other where other.status = 'queued'
                and (other.share_rank, other.created_at, other.id) < (job.share_rank, job.created_at, job.id))
            when job.id is null and legacy.status = 'arriving' then
              (select count(*) from jobs as other where other.status = 'queued' and other.share_rank <= greatest(
                (select min(share_rank) from jobs where status = 'queued'),
                (select max(share_rank) + 1 from jobs
                  where share_key = legacy.account_id and status in ('queued', 'running'))))
            else 0
          end as jobs_ahead
        from legacy_jobs as legacy
          left join files as file on file.id = legacy.file_id
          left join jobs as job on job.id = legacy.id
          left join files as result on result.id = job.output_file_ids[1]
        where legacy.id = ${id}`.execute(kysely);
      const [row] = rows;
      return row === undefined ? null : toLook(row);
    },
    ordered: (id) => settle(id, 'ordered', null),
    failed: (id, error) => settle(id, 'failed', error),
    async remove(id) {
      await kysely.deleteFrom('legacy_jobs').where('id', '=', id).execute();
    },
    async delivered(id) {
      await database.transaction(async (trx) => {
        await trx
          .updateTable('legacy_jobs')
          .set({ status: 'delivered', output_url: null })
          .where('id', '=', id)
          .where('status', '=', 'ordered')
          .execute();
        await announce(trx, [id]);
      });
    },
    async undeliverable(id, error) {
      return database.transaction(async (trx) => {
        const row = await trx
          .updateTable('legacy_jobs')
          .set({ status: 'failed', error: JSON.stringify(error), output_url: null })
          .where('id', '=', id)
          .where('status', '=', 'ordered')
          .returning('account_id')
          .executeTakeFirst();
        if (row === undefined) return null;
        const charge = await trx
          .selectFrom('ledger')
          .select('credits')
          .where('job_id', '=', id)
          .where('kind', '=', 'charge')
          .executeTakeFirst();
        if (charge !== undefined)
          await moveCredits(trx, {
            accountId: row.account_id,
            kind: 'adjustment',
            credits: -charge.credits,
            reserved: 0,
            jobId: null,
            note: `${id} could not be delivered`,
          });
        // Read the keys before they are cleared.
        const results = await trx
          .selectFrom('files')
          .select(['id', 'object_key', 'peaks_key'])
          .where('source_job_id', '=', id)
          .where('status', '<>', 'deleted')
          .forUpdate()
          .execute();
        const ids = results.map((result) => result.id);
        if (ids.length > 0)
          await trx
            .updateTable('files')
            .set({ status: 'deleted', object_key: null, peaks_key: null, peaks_status: null, peaks: null })
            .where('id', 'in', ids)
            .execute();
        await announce(trx, [id, ...ids]);
        return results.flatMap(({ object_key, peaks_key }) => [object_key, peaks_key].filter((key) => key !== null));
      });
    },
  };
}

function toLook(row: Look): LegacyJobLook {
  const legacy: LegacyJob = toLegacyJob(row);
  return {
    legacy,
    arriving: row.arriving,
    job:
      row.job_status === null
        ? null
        : { status: row.job_status, started: row.started, furthest: row.furthest, error: row.job_error },
    jobsAhead: row.jobs_ahead,
    output:
      row.output_id === null
        ? null
        : { fileId: row.output_id, filename: row.output_filename ?? '', expiresAt: row.output_expires_at },
  };
}

/** Enqueues the jobs that wait for a file which is now ready or failed. In the transaction that changes the file. */
export async function orderWaiting(trx: Transaction<Tables>, queue: Enqueuer | null, fileId: string): Promise<void> {
  const rows = await trx
    .selectFrom('legacy_jobs')
    .select('id')
    .where('file_id', '=', fileId)
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
    .where('legacy_jobs.output_url', 'is not', null)
    .where('jobs.status', '=', 'succeeded')
    .executeTakeFirst();
  if (row !== undefined) await queue?.enqueue(trx, [{ kind: 'deliver', id }]);
}

import { sql } from 'kysely';
import type { Config } from '../../rules/settings/config.ts';
import type { StillLeads } from '../../rules/fleet/leadership.ts';
import type { TaskKind } from '../queue/boss.ts';
import type { Enqueuer, Task } from '../queue/enqueue.ts';
import { isInQueue } from '../queue/entries.ts';
import type { Database } from './database/database.ts';
import { jobTask, jobTaskColumns } from './jobs/sharing.ts';

/** Kept a little longer, so that late clients get file_expired and not not_found. */
const remembersExpiredMs = 3_600_000;

/** Older-API jobs are ordered at once; older ones were left behind by a dead process. */
const orderedBySeconds = 30;

/** Browsers that have not signed in for so long are forgotten, as browsers forget the cookie. */
const knownBrowserMs = 400 * 86_400_000;

/** The log of webhooks. */
const shownDeliveryDays = 7;

/** Rows per statement. */
const batch = 1000;

/**
 * Enqueues the missing tasks of unfinished jobs and files. A row and its queue entry are written in one transaction, so
 * one query sees both or neither. Call at a worker's start and every minute.
 * @returns the number of enqueued tasks
 */
export async function reenqueueLost(database: Database, queue: Enqueuer): Promise<number> {
  return database.transaction(async (trx) => {
    const jobs = await trx
      .selectFrom('jobs')
      .select(jobTaskColumns)
      .where('status', 'in', ['queued', 'running'])
      .where(sql<boolean>`not ${isInQueue('job', sql.ref('jobs.id'))}`)
      .where(sql<boolean>`not ${isInQueue('accept', sql.ref('jobs.id'))}`)
      .limit(batch)
      .execute();
    const { rows } = await sql<{ kind: TaskKind; id: string; owner: string }>`
      (select 'import' as kind, id, coalesce(account_id, visitor, id) as owner from files
        where status = 'processing' and object_key is null and upload ->> 'mode' = 'import'
          and not ${isInQueue('import', sql.ref('files.id'))} limit ${batch})
      union all
      (select 'check', id, id from files
        where status = 'processing' and object_key is not null and not ${isInQueue('check', sql.ref('files.id'))}
          and not ${isInQueue('import', sql.ref('files.id'))} limit ${batch})
      union all
      (select 'peaks', id, id from files
        where status = 'ready' and peaks_status = 'processing'
          and not ${isInQueue('peaks', sql.ref('files.id'))} limit ${batch})
      union all
      (select 'voice', id, account_id from voices
        where status = 'processing' and not ${isInQueue('voice', sql.ref('voices.id'))} limit ${batch})
      union all
      (select 'order', id, id from legacy_jobs
        where status = 'arriving' and created_at < clock_timestamp() - ${`${orderedBySeconds} seconds`}::interval
          and not exists (select from files where files.id = legacy_jobs.file_id and files.status = 'processing')
          and not ${isInQueue('order', sql.ref('legacy_jobs.id'))} limit ${batch})
      union all
      (select 'deliver', legacy_jobs.id, legacy_jobs.id from legacy_jobs join jobs on jobs.id = legacy_jobs.id
        where legacy_jobs.status = 'ordered' and legacy_jobs.output_url is not null and jobs.status = 'succeeded'
          and not ${isInQueue('deliver', sql.ref('legacy_jobs.id'))} limit ${batch})`.execute(trx);
    const tasks: Task[] = [...jobs.map(jobTask), ...rows];
    if (tasks.length > 0) {
      await queue.enqueue(trx, tasks);
      database.log.warn({ tasks: tasks.length }, 'Enqueued tasks that were missing from the queue');
    }
    return tasks.length;
  });
}

/**
 * Deletes outdated rows: expired sessions, sign-in links, undo of addresses and records of programs, free uses and
 * ended deliveries of webhooks older than a week, expired free runs
 * and older-API jobs (with their URLs). Options and results of ended jobs are deleted after the retention
 * time, like the files whose words they contain; rows of ended jobs and idempotency keys after the configured days. The
 * ledger stays.
 * Call regularly.
 */
export async function removeStale(
  { kysely }: Database,
  now: Date,
  {
    retentionSeconds,
    freeRetentionSeconds,
    jobRowDays,
    idempotencyDays,
  }: Pick<Config, 'retentionSeconds' | 'freeRetentionSeconds' | 'jobRowDays' | 'idempotencyDays'>,
  stillLeads: StillLeads = () => Promise.resolve(),
): Promise<void> {
  await kysely.deleteFrom('sessions').where('expiresAt', '<=', now).execute();
  await kysely.deleteFrom('one_time_tokens').where('expiresAt', '<=', now).execute();
  await kysely.deleteFrom('address_changes').where('expiresAt', '<=', now).execute();
  await kysely
    .deleteFrom('known_browsers')
    .where('seenAt', '<=', new Date(now.getTime() - knownBrowserMs))
    .execute();
  await kysely
    .deleteFrom('program_records')
    .where('expiresAt', '<=', sql<Date>`clock_timestamp()`)
    .execute();
  const lastWeek = new Date(now.getTime() - 7 * 86_400_000).toISOString().slice(0, 10);
  await kysely.deleteFrom('free_uses').where('day', '<', lastWeek).execute();
  await kysely.deleteFrom('free_days').where('day', '<', lastWeek).execute();
  await kysely
    .deleteFrom('free_runs')
    .where('expiresAt', '<', new Date(now.getTime() - remembersExpiredMs))
    .execute();
  // Only of ended jobs.
  await sql`
    delete from legacy_jobs where expires_at < ${new Date(now.getTime() - remembersExpiredMs)} and (
      status in ('delivered', 'failed')
      or not exists (select from jobs where jobs.id = legacy_jobs.id and status in ('queued', 'running')))`.execute(
    kysely,
  );
  const deliveriesBefore = new Date(now.getTime() - shownDeliveryDays * 86_400_000);
  await inBatches(stillLeads, () =>
    sql`delete from webhook_deliveries where position in (
      select position from webhook_deliveries where created_at < ${deliveriesBefore} and status <> 'pending'
        limit ${batch} for update skip locked)`.execute(kysely),
  );
  const keysBefore = new Date(now.getTime() - idempotencyDays * 86_400_000);
  await inBatches(stillLeads, () =>
    sql`delete from idempotency where ctid in (
      select ctid from idempotency where created_at < ${keysBefore} and scope = 'job' limit ${batch} for update skip locked)`.execute(
      kysely,
    ),
  );
  const jobsBefore = new Date(now.getTime() - jobRowDays * 86_400_000);
  await inBatches(stillLeads, () =>
    sql`delete from jobs where id in (
      select id from jobs where finished_at < ${jobsBefore}
        and not exists (select from free_runs where finish_job_id = jobs.id) limit ${batch} for update skip locked)`.execute(
      kysely,
    ),
  );
  await inBatches(stillLeads, () =>
    sql`delete from chains where id in (
      select id from chains where finished_at < ${jobsBefore} limit ${batch} for update skip locked)`.execute(kysely),
  );
  const before = new Date(now.getTime() - retentionSeconds * 1000);
  const visitorsBefore = new Date(now.getTime() - freeRetentionSeconds * 1000);
  await inBatches(stillLeads, () =>
    sql`
      update jobs set options = '{}', result = null where id in (
        select id from jobs
        where (finished_at <= ${before} or (finished_at <= ${visitorsBefore} and account_id is null))
          and finished_at is not null
          and (options <> '{}'::jsonb or result is not null)
        limit ${batch} for update skip locked)`.execute(kysely),
  );
}

/** Deletes in small batches, so that locks are held only briefly. */
async function inBatches(
  stillLeads: StillLeads,
  change: () => Promise<{ readonly numAffectedRows?: bigint }>,
): Promise<void> {
  for (;;) {
    await stillLeads();
    const { numAffectedRows = 0n } = await change();
    if (numAffectedRows < BigInt(batch)) return;
  }
}

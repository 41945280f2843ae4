import { sql, type Transaction } from 'kysely';
import type { JobStore } from '../../../rules/jobs/job-store.ts';
import { terminalJobStatuses } from '../../../rules/jobs/stored-job.ts';
import type { StoredError } from '../../../rules/shared/stored-error.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { announce } from '../database/changes.ts';
import type { Database } from '../database/database.ts';
import { toJob } from '../database/rows.ts';
import type { Tables } from '../database/schema.ts';
import { cancelled, type JobRow, lockJob, owned, release } from './settlements.ts';
import { packParts, unpackParts } from './packed-parts.ts';
import { jobTask } from './sharing.ts';
import { type RunIdentity, unfitSeconds } from '../../../rules/fleet/fleet.ts';
import { startsUsedUp } from '../../../rules/jobs/attempt-ends.ts';
import { mustRunAlone, noteDeath } from './worker-deaths.ts';

/** The attempts of a job, up to their ends in settlements.ts. The same lock order as there. */
export function createTurns(
  database: Database,
  queue: Enqueuer | null,
  identity: RunIdentity | null,
): Pick<JobStore, 'turn' | 'start' | 'requeue' | 'crashed' | 'passOn' | 'finishedParts'> {
  return {
    async turn(id, workerId) {
      return database.transaction(async (trx) => {
        const job = await lockJob(trx, id);
        if (job === null || terminalJobStatuses.includes(job.status)) return null;
        if (job.cancelRequested) {
          await release(trx, job, cancelled);
          return null;
        }
        const { death } = await noteDeath(trx, job, workerId);
        if (death !== null) await announce(trx, [id]);
        return { alone: await mustRunAlone(trx, id), attempt: job.attempt, death };
      });
    },
    async start(id, workerId, maxAttempts, after, by) {
      const runsIt = by ?? identity;
      return database.transaction(async (trx) => {
        const found = await lockJob(trx, id);
        if (found === null || terminalJobStatuses.includes(found.status)) return null;
        if (after !== undefined && found.attempt !== after) return null;
        const { job } = await noteDeath(trx, found, workerId);
        if (job.cancelRequested) {
          await release(trx, job, cancelled);
          return null;
        }
        const message = startsUsedUp(job.attempt - job.givenBack, job.lostAttempts, maxAttempts);
        if (message !== null) {
          const error: StoredError = { code: 'internal_error', message };
          await release(trx, job, { status: 'failed', stage: 'failed', error: JSON.stringify(error) });
          return null;
        }
        // The release before does not say so (migration 0030), and would run it as a job of its own.
        if (job.chainId !== null) await sql`select set_config('earshot.steps', 'known', true)`.execute(trx);
        const row = await trx
          .updateTable('jobs')
          .set({
            status: 'running',
            attempt: job.attempt + 1,
            workerId,
            build: runsIt?.build ?? null,
            models: runsIt === null ? null : [...runsIt.models],
            startedAt: sql<Date>`coalesce(started_at, clock_timestamp())`,
            progress: 0,
            stage: 'starting',
            estimatedSecondsLeft: null,
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await announce(trx, [id]);
        return toJob(row);
      });
    },
    async finishedParts(id) {
      const row = await database.kysely
        .selectFrom('finished_parts')
        .select('parts')
        .where('jobId', '=', id)
        .executeTakeFirst();
      return row === undefined ? [] : unpackParts(row.parts);
    },
    async requeue(id, attempt, finished = []) {
      return database.transaction(async (trx) => {
        const job = await owned(trx, id, attempt);
        if (job === null) return false;
        const parts = packParts(finished);
        if (parts !== null)
          await trx
            .insertInto('finished_parts')
            .values({ jobId: id, parts })
            .onConflict((conflict) => conflict.column('jobId').doUpdateSet({ parts }))
            .execute();
        await handBack(trx, job, queue);
        return true;
      });
    },
    crashed: (id, attempt) => database.transaction((trx) => noteCrash(trx, id, attempt)),
    async passOn(id, attempt, error, pauseSeconds) {
      return database.transaction(async (trx) => {
        const job = await owned(trx, id, attempt);
        if (job === null) return false;
        if (error !== null && (await isOverdue(trx, job)))
          await release(trx, job, { status: 'failed', stage: 'failed', error: JSON.stringify(error) });
        else await handBack(trx, job, queue, { pauseSeconds });
        return true;
      });
    },
  };
}

/** Have machines handed the job back for a quarter of an hour? */
async function isOverdue(trx: Transaction<Tables>, { id }: JobRow): Promise<boolean> {
  const { rows } = await sql<{ overdue: boolean | null }>`
    select unfit_since < clock_timestamp() - ${unfitSeconds} * interval '1 second' as overdue
    from jobs where id = ${id}`.execute(trx);
  return rows[0]?.overdue ?? false;
}

/**
 * Ends the running attempt without counting it: the job is queued again, or cancelled if that was requested.
 * @param passedOn its machine could not run it; null: another reason
 */
export async function handBack(
  trx: Transaction<Tables>,
  job: JobRow,
  queue: Enqueuer | null,
  passedOn: { readonly pauseSeconds: number } | null = null,
): Promise<void> {
  if (job.cancelRequested) {
    await release(trx, job, cancelled);
    return;
  }
  const { id, givenBack } = job;
  await trx
    .updateTable('jobs')
    .set({
      status: 'queued',
      givenBack: givenBack + 1,
      workerId: null,
      progress: 0,
      stage: 'queued',
      estimatedSecondsLeft: null,
      unfitSince: passedOn === null ? null : sql<Date>`coalesce(unfit_since, clock_timestamp())`,
    })
    .where('id', '=', id)
    .execute();
  const { pauseSeconds = 0 } = passedOn ?? {};
  await queue?.putBack(trx, { ...jobTask(job), pauseSeconds });
  await announce(trx, [id]);
}

/** Queued without a worker: whichever takes the job next finds no lost lease to give the attempt back for. */
async function noteCrash(trx: Transaction<Tables>, id: string, attempt: number): Promise<boolean> {
  if ((await owned(trx, id, attempt)) === null) return false;
  await trx
    .updateTable('jobs')
    .set({ status: 'queued', workerId: null, progress: 0, stage: 'queued', estimatedSecondsLeft: null })
    .where('id', '=', id)
    .execute();
  return true;
}

import { sql, type Selectable, type Transaction, type Updateable } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { JobStore, JobSuccess } from '../../../rules/jobs/job-store.ts';
import { terminalJobStatuses } from '../../../rules/jobs/stored-job.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { announce } from '../database/changes.ts';
import type { Database } from '../database/database.ts';
import { giveFreeSecondsBack, giveFreeUseBack } from './free-uses.ts';
import { goOnWithChain } from './chain-steps.ts';
import { deliverWhenDone } from './legacy-jobs.ts';
import { moveCredits } from '../money/ledger.ts';
import { fromNewFile, toJob } from '../database/rows.ts';
import type { JobTable, Tables } from '../database/schema.ts';

export type JobRow = Selectable<JobTable>;

/** The columns of a cancelled job. */
export const cancelled = { status: 'cancelled', stage: 'cancelled' } as const;

/**
 * The ends of a job. Every change locks the job's row first, then its chain's, and then the account's, which prevents
 * deadlocks; every settlement checks its attempt.
 */
export function createSettlements(
  database: Database,
  queue: Enqueuer | null,
): Pick<JobStore, 'requestCancel' | 'succeed' | 'fail' | 'cancel'> {
  return {
    async requestCancel(id) {
      return database.transaction(async (trx) => {
        const job = await lockJob(trx, id);
        if (job === null) throw new EarshotError('not_found', `There is no job ${id}`, { details: { id } });
        if (terminalJobStatuses.includes(job.status))
          throw new EarshotError(
            'job_not_cancellable',
            `The job ${id} has ${job.status === 'cancelled' ? 'been cancelled' : job.status} already; expected one ` +
              'that is queued or running',
            { details: { id, status: job.status } },
          );
        if (job.status === 'queued') return toJob(await release(trx, job, cancelled));
        const row = await trx
          .updateTable('jobs')
          .set({ cancelRequested: true })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await announce(trx, [id]);
        return toJob(row);
      });
    },

    async succeed(id, attempt, success) {
      return database.transaction(async (trx) => {
        const job = await owned(trx, id, attempt);
        if (job === null) return false;
        // A cancel request was accepted: the job must not be charged any more.
        if (job.cancelRequested) {
          await release(trx, job, cancelled);
          return false;
        }
        await charge(trx, job, success);
        if (job.chainId !== null) await goOnWithChain(trx, queue, job.chainId);
        await deliverWhenDone(trx, queue, id);
        return true;
      });
    },

    async fail(id, attempt, error) {
      return database.transaction(async (trx) => {
        const job = await owned(trx, id, attempt);
        if (job === null) return false;
        // The error of an interrupted run is not a failure of the job.
        if (job.cancelRequested) await release(trx, job, cancelled);
        else await release(trx, job, { status: 'failed', stage: 'failed', error: JSON.stringify(error) });
        return true;
      });
    },

    async cancel(id, attempt) {
      return database.transaction(async (trx) => {
        const job = await owned(trx, id, attempt);
        if (job === null) return false;
        await release(trx, job, cancelled);
        return true;
      });
    },
  };
}

/** The job, if the attempt still owns it. */
export async function owned(trx: Transaction<Tables>, id: string, attempt: number): Promise<JobRow | null> {
  const job = await lockJob(trx, id);
  return job?.status === 'running' && job.attempt === attempt ? job : null;
}

export async function lockJob(trx: Transaction<Tables>, id: string): Promise<JobRow | null> {
  return (await trx.selectFrom('jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) ?? null;
}

/** Ends the job without a charge: releases its credits and returns its free use. */
export async function release(trx: Transaction<Tables>, job: JobRow, end: Updateable<JobTable>): Promise<JobRow> {
  if (job.price > 0 && job.accountId !== null)
    await moveCredits(trx, {
      accountId: job.accountId,
      kind: 'release',
      credits: 0,
      reserved: -job.price,
      jobId: job.id,
      note: null,
    });
  if (job.free) await giveFreeUseBack(trx, { id: job.freeSubject, day: job.freeDay }, job.tool);
  const row = await finish(trx, job, end);
  // It ends with its step.
  if (job.chainId !== null) await goOnWithChain(trx, null, job.chainId);
  if (job.freeSeconds > 0) await giveFreeSecondsBack(trx, job.freeDay, job.freeSeconds);
  return row;
}

async function charge(
  trx: Transaction<Tables>,
  job: JobRow,
  { outputs, result, warnings, processedSeconds, credits }: JobSuccess,
): Promise<void> {
  if (job.price > 0 && job.accountId !== null)
    await moveCredits(trx, {
      accountId: job.accountId,
      kind: 'charge',
      credits: -Math.min(job.price, credits),
      reserved: -job.price,
      jobId: job.id,
      note: null,
    });
  if (outputs.length > 0) await trx.insertInto('files').values(outputs.map(fromNewFile)).execute();
  const ids = outputs.map(({ id }) => id);
  await announce(trx, ids);
  await finish(trx, job, {
    status: 'succeeded',
    stage: 'done',
    progress: 1,
    result: JSON.stringify(result),
    warnings: JSON.stringify(warnings),
    processedSeconds,
    outputFileIds: ids,
  });
}

async function finish(trx: Transaction<Tables>, job: JobRow, end: Updateable<JobTable>): Promise<JobRow> {
  const row = await trx
    .updateTable('jobs')
    .set({ ...end, finishedAt: sql<Date>`clock_timestamp()`, estimatedSecondsLeft: null })
    .where('id', '=', job.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  // Only a job that was handed back has any.
  if (job.givenBack > 0) await trx.deleteFrom('finished_parts').where('jobId', '=', job.id).execute();
  await announce(trx, [job.id]);
  return row;
}

import { sql, type Selectable, type Transaction } from 'kysely';
import type { WorkerDeath } from '../../rules/ports.ts';
import { noteCrash } from './poison.ts';
import type { JobTable, Tables } from './schema.ts';

type JobRow = Selectable<JobTable>;

/** After this many deaths of workers with other jobs, a job must run alone. */
const sharedDeathsBeforeAlone = 2;

/** Number of deaths of workers in which this and other jobs were running. */
async function sharedDeaths(trx: Transaction<Tables>, id: string): Promise<number> {
  const { count } = await trx
    .selectFrom('worker_deaths')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('jobId', '=', id)
    .where('shared', '=', true)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Records the death of the worker that was running the job, if it is not `workerId`. The job's row must be locked. An
 * attempt that does not count is recorded as requeued.
 *
 * Any job that was running in the worker may have caused its death. Each is recorded when it is delivered again: the
 * earlier ones are found by their rows here, the later ones by their jobs' rows.
 */
export async function noteDeath(
  trx: Transaction<Tables>,
  job: JobRow,
  workerId: string,
): Promise<{ readonly job: JobRow; readonly death: WorkerDeath | null }> {
  const dead = job.workerId;
  if (job.status !== 'running' || dead === null || dead === workerId) return { job, death: null };
  // A job that must run alone had no others beside it.
  const shared = (await sharedDeaths(trx, job.id)) < sharedDeathsBeforeAlone && (await othersRanIn(trx, dead, job.id));
  await trx
    .insertInto('worker_deaths')
    .values({ workerId: dead, jobId: job.id, shared })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if (!shared) await noteCrash(trx, job.id, job.attempt, dead);
  const row = await trx
    .updateTable('jobs')
    .set({
      status: 'queued',
      givenBack: job.givenBack + (shared ? 1 : 0),
      workerId: null,
      progress: 0,
      stage: 'queued',
      estimatedSecondsLeft: null,
    })
    .where('id', '=', job.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { job: row, death: { workerId: dead, shared } };
}

/** One statement, so that a job recorded concurrently is seen in one of the two tables. */
async function othersRanIn(trx: Transaction<Tables>, workerId: string, id: string): Promise<boolean> {
  const { rows } = await sql<{ others: boolean }>`
    select exists (select from jobs where worker_id = ${workerId} and status = 'running' and id <> ${id})
      or exists (select from worker_deaths where worker_id = ${workerId} and job_id <> ${id}) as others`.execute(trx);
  return rows[0]?.others ?? false;
}

export async function mustRunAlone(trx: Transaction<Tables>, id: string): Promise<boolean> {
  return (await sharedDeaths(trx, id)) >= sharedDeathsBeforeAlone;
}

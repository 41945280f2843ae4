import { sql, type Selectable, type Transaction } from 'kysely';
import type { WorkerDeath } from '../../../rules/jobs/job-store.ts';
import type { LostAttempt } from '../../../rules/jobs/attempt-ends.ts';
import { leaseSeconds } from '../../../rules/fleet/fleet.ts';
import { runnerIdIn } from '../../../rules/runners/machine.ts';
import type { JobTable, Tables } from '../database/schema.ts';

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
 * Gives the attempt back whose worker has lost the job, if that is not `workerId`: no one has said that its process
 * crashed. The job's row must be locked.
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
  const reason: LostAttempt = (await lives(trx, dead)) ? 'leaseLost' : 'workerGone';
  // A job that must run alone had no others beside it.
  const shared = (await sharedDeaths(trx, job.id)) < sharedDeathsBeforeAlone && (await othersRanIn(trx, dead, job.id));
  // A worker that lives again did not die of its jobs.
  if (reason === 'workerGone')
    await trx
      .insertInto('worker_deaths')
      .values({ workerId: dead, jobId: job.id, shared })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const runner = runnerIdIn(dead);
  if (runner !== null)
    await sql`update runners set unfinished = unfinished + 1, unfinished_at = clock_timestamp()
      where id = ${runner}`.execute(trx);
  const row = await trx
    .updateTable('jobs')
    .set({
      status: 'queued',
      givenBack: job.givenBack + 1,
      lostAttempts: JSON.stringify({ ...job.lostAttempts, [reason]: (job.lostAttempts[reason] ?? 0) + 1 }),
      workerId: null,
      progress: 0,
      stage: 'queued',
      estimatedSecondsLeft: null,
    })
    .where('id', '=', job.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { job: row, death: { workerId: dead, reason, shared } };
}

async function lives(trx: Transaction<Tables>, workerId: string): Promise<boolean> {
  const { rows } = await sql<{ lives: boolean }>`
    select exists (select from workers where id = ${workerId}
      and last_beat_at > clock_timestamp() - ${leaseSeconds} * interval '1 second') as lives`.execute(trx);
  return rows[0]?.lives ?? false;
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

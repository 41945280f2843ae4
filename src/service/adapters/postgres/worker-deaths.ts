import { sql, type Selectable, type Transaction } from 'kysely';
import type { WorkerDeath } from '../../rules/ports.ts';
import type { JobTable, Tables } from './schema.ts';

type JobRow = Selectable<JobTable>;

/** Seen at so many deaths beside others, a job is suspected and has to run alone. */
const sharedDeathsBeforeAlone = 2;

/** How often the job was running beside others when its worker died. */
async function sharedDeaths(trx: Transaction<Tables>, id: string): Promise<number> {
  const { count } = await trx
    .selectFrom('worker_deaths')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('job_id', '=', id)
    .where('shared', '=', true)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Writes down that the worker died in which the job was running, if it was another one than `workerId`. The job's row
 * must be locked. An attempt that is not spent is counted as given back.
 *
 * Whose fault a death was is not known, but the suspects are: all that ran there. Each notices by itself when it is
 * delivered again, the earlier of them by their rows here, the later ones by their jobs' rows.
 */
export async function noteDeath(
  trx: Transaction<Tables>,
  job: JobRow,
  workerId: string,
): Promise<{ readonly job: JobRow; readonly death: WorkerDeath | null }> {
  const dead = job.worker_id;
  if (job.status !== 'running' || dead === null || dead === workerId) return { job, death: null };
  // One that had to run alone did, whatever the rows of that worker say.
  const shared = (await sharedDeaths(trx, job.id)) < sharedDeathsBeforeAlone && (await othersRanIn(trx, dead, job.id));
  await trx
    .insertInto('worker_deaths')
    .values({ worker_id: dead, job_id: job.id, shared })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await trx
    .updateTable('jobs')
    .set({
      status: 'queued',
      given_back: job.given_back + (shared ? 1 : 0),
      worker_id: null,
      progress: 0,
      stage: 'queued',
      estimated_seconds_left: null,
    })
    .where('id', '=', job.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { job: row, death: { workerId: dead, shared } };
}

/** One statement, so that a job that is being written down at the same time is seen in one of both places. */
async function othersRanIn(trx: Transaction<Tables>, workerId: string, id: string): Promise<boolean> {
  const { rows } = await sql<{ others: boolean }>`
    select exists (select from jobs where worker_id = ${workerId} and status = 'running' and id <> ${id})
      or exists (select from worker_deaths where worker_id = ${workerId} and job_id <> ${id}) as others`.execute(trx);
  return rows[0]?.others ?? false;
}

export async function mustRunAlone(trx: Transaction<Tables>, id: string): Promise<boolean> {
  return (await sharedDeaths(trx, id)) >= sharedDeathsBeforeAlone;
}

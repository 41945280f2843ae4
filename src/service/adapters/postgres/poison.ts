import { sql, type Transaction } from 'kysely';
import { EarshotError } from '../../../library/core/errors.ts';
import { newId } from '../../rules/ids.ts';
import { type PoisonJob, poisonousHosts, type PoisonStore } from '../../rules/poison.ts';
import type { Enqueuer } from '../queue/enqueue.ts';
import type { Database } from './database.ts';
import { createJobIn } from './new-job.ts';
import type { Tables } from './schema.ts';

/** Worker ids are host, process and a random part; runners' have their own id. */
const hostOf = (workerId: string): string =>
  /^(runner\/[^/]+)\//.exec(workerId)?.[1] ?? workerId.replace(/-\d+-[0-9a-f]+$/, '');

/** Of the bytes of the inputs, where they are known: a client that sends the same file again has the same job. */
const fingerprintOf = (id: string) => sql<string>`(
  select encode(sha256(convert_to(concat_ws('|', tool, options::text, window_seconds, (
    select string_agg(field.key || ':' || coalesce(files.sha256, ids.id), ',' order by field.key, ids.place)
    from jsonb_each(jobs.inputs) as field, jsonb_array_elements_text(field.value) with ordinality as ids (id, place)
      left join files on files.id = ids.id)), 'UTF8')), 'hex')
  from jobs where id = ${id})`;

/** Notes that the attempt's process, or its worker with no other job in it, died. */
export async function noteCrash(
  trx: Transaction<Tables>,
  id: string,
  attempt: number,
  workerId: string,
): Promise<void> {
  await sql`insert into job_crashes (job_id, attempt, fingerprint, host)
    select ${id}, ${attempt}, fingerprint, ${hostOf(workerId)} from (select ${fingerprintOf(id)} as fingerprint) as own
    where fingerprint is not null on conflict do nothing`.execute(trx);
}

/** Is the job poison? Then it is listed. */
export async function isPoison(trx: Transaction<Tables>, { id }: { readonly id: string }): Promise<boolean> {
  // Nearly always nothing has crashed at all.
  const { rows: any } = await sql`select from job_crashes limit 1`.execute(trx);
  if (any.length === 0) return false;
  const { rows } = await sql<{ jobId: string }>`
    insert into poison_jobs (job_id, fingerprint, hosts)
    select ${id}, fingerprint, array_agg(distinct host) from job_crashes
    where fingerprint = ${fingerprintOf(id)} group by fingerprint having count(distinct host) >= ${poisonousHosts}
    on conflict (job_id) do update set hosts = excluded.hosts returning job_id`.execute(trx);
  return rows.length > 0;
}

/**
 * After the job ended well: jobs like it did not crash by themselves, so what is noted of them is forgotten. Else a
 * file that many send would be refused for ever after two crashes of machines, months apart.
 */
export async function forgetCrashes(trx: Transaction<Tables>, id: string): Promise<void> {
  // Nearly always nothing has crashed at all; then the fingerprint is not computed. Settlements do not wait for each
  // other.
  await sql`delete from job_crashes where (job_id, attempt) in (
    select job_id, attempt from job_crashes
    where fingerprint = case when exists (select from job_crashes) then ${fingerprintOf(id)} end
    for update skip locked)`.execute(trx);
}

/** @param queue null: only for lists */
export function createPoisonStore(database: Database, queue: Enqueuer | null): PoisonStore {
  return {
    async list() {
      const { rows } = await sql<PoisonJob>`
        select poison.*, jobs.tool from poison_jobs poison join jobs on jobs.id = poison.job_id
        order by noted_at desc, job_id limit 1000`.execute(database.kysely);
      return rows;
    },
    async replay(jobId) {
      return database.transaction(async (trx) => {
        const { rows } = await sql<{ fingerprint: string; replayJobId: string | null }>`
          select fingerprint, replay_job_id from poison_jobs where job_id = ${jobId} for update`.execute(trx);
        const [poison] = rows;
        if (poison === undefined) return null;
        if (poison.replayJobId !== null)
          throw new EarshotError('conflict', `The job ${jobId} was replayed already, as ${poison.replayJobId}`, {
            details: { id: jobId, replayJobId: poison.replayJobId },
          });
        const old = await trx.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirstOrThrow();
        await sql`delete from job_crashes where fingerprint = ${poison.fingerprint}`.execute(trx);
        const { windowSeconds } = old;
        const { job } = await createJobIn(trx, queue, {
          id: newId('job'),
          accountId: old.accountId,
          freeSubject: { id: old.freeSubject, day: old.freeDay },
          tool: old.tool,
          inputs: old.inputs,
          options: old.options,
          idempotency: null,
          billing: { seconds: old.billedSeconds ?? 0, creditsPerMinute: old.creditsPerMinute ?? 0 },
          // The service failed it; its owner paid nothing and has waited.
          decide: () => ({ free: false, windowSeconds, price: 0 }),
        });
        await sql`update poison_jobs set replayed_at = clock_timestamp(), replay_job_id = ${job.id}
          where job_id = ${jobId}`.execute(trx);
        return job.id;
      });
    },
  };
}

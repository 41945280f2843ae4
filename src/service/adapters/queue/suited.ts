// Which of the waiting jobs suit a worker: a part of the statement that claims them.
import { type ClaimingWorker, leaseSeconds } from '../../rules/fleet.ts';
import { queueSchema } from './boss.ts';

/** Score by labels: 2 in the job's pool. A tool without a pool has the machines without a pool's label. */
const inPool = (labels: string): string => `
  case when pool.label is null then case when ${labels} && pool.all_labels then 0 else 2 end
    when pool.label = any(${labels}) then 2 else 0 end`;
const holds = (worker: string): string => `
  case when exists (select from held_inputs held where held.worker_id = ${worker} and held.file_id = any(wanted.files))
    then 1 else 0 end`;

/**
 * Parameters $7 to $12: version, labels, models, pools, tools with models, seconds. A job is
 *
 * - refused by a worker whose models are not those that its order was promised;
 * - left to workers of the version that took the order, while one of them lives and takes jobs;
 * - left to a worker that suits it better (its pool first, then its inputs) and has a free slot, for some seconds: a
 *   preference with overflow, so that no machine is idle beside a queue.
 */
export const suitedJoin = `
  join jobs on jobs.id = entry.data ->> 'id'
  cross join lateral (select $10::jsonb ->> jobs.tool as label,
    array(select distinct value from jsonb_each_text($10::jsonb)) as all_labels) pool
  cross join lateral (select array(select jsonb_array_elements_text(ids.value) from jsonb_each(jobs.inputs) ids) as files) wanted`;

const alive = `not other.draining and not other.evicted and 'worker' = any(other.roles)
    and other.last_beat_at > clock_timestamp() - interval '${leaseSeconds} seconds'`;

export const suitedCondition = `
  and not (jobs.tool = any($11::text[]) and jobs.promised_models is not null
    and not (jobs.promised_models <@ $9::text[] and jobs.promised_models @> $9::text[]))
  and not (jobs.promised_version is not null and jobs.promised_version <> $7::text and exists (
    select from workers other where other.version = jobs.promised_version and ${alive}))
  and not (entry.created_on > ${queueSchema}.job_now() - $12::float8 * interval '1 second' and exists (
    select from workers other where other.id <> $3 and other.running < other.slots and ${alive}
      and (${inPool('other.labels')}) + (${holds('other.id')}) > (${inPool('$8::text[]')}) + (${holds('$3')})))`;

export const suitedValues = (worker: ClaimingWorker): readonly unknown[] => [
  worker.version,
  [...worker.labels],
  [...worker.models],
  JSON.stringify(worker.pools),
  [...worker.modelTools],
  worker.waitSeconds,
];

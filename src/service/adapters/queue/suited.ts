// Which of the waiting jobs suit a worker: a part of the statement that claims them.
import { type ClaimingWorker, leaseSeconds } from '../../rules/fleet/fleet.ts';
import { queueSchema } from './boss.ts';
import { paidOrFree } from './entries.ts';

/** Score by labels: 2 in the job's pool. A tool without a pool has the machines without a pool's label. */
const inPool = (labels: string): string => `
  case when pool.label is null then case when ${labels} && pool.all_labels then 0 else 2 end
    when pool.label = any(${labels}) then 2 else 0 end`;
const holds = (worker: string): string => `
  case when exists (select from held_inputs held where held.worker_id = ${worker} and held.file_id = any(wanted.files))
    then 1 else 0 end`;

const alive = `not other.draining and not other.evicted and 'worker' = any(other.roles)
    and other.last_beat_at > clock_timestamp() - interval '${leaseSeconds} seconds'`;

/** May the worker run `jobs`? */
const mayRun = `
  not (jobs.tool = any($11::text[]) and jobs.promised_models is not null
    and not (jobs.promised_models <@ $9::text[] and jobs.promised_models @> $9::text[]))
  and not (jobs.promised_version is not null and jobs.promised_version <> $7::text and exists (
    select from workers other where other.version = jobs.promised_version and ${alive}))`;

const leftToOthers = `
  entry.created_on > ${queueSchema}.job_now() - $12::float8 * interval '1 second' and exists (
    select from jobs cross join workers other
    cross join lateral (select $10::jsonb ->> jobs.tool as label,
      array(select distinct value from jsonb_each_text($10::jsonb)) as all_labels) pool
    cross join lateral (select array(
      select jsonb_array_elements_text(ids.value) from jsonb_each(jobs.inputs) ids) as files) wanted
    where jobs.id = entry.data ->> 'id' and other.id <> $3 and other.running < other.slots and ${alive}
      and (${inPool('other.labels')}) + (${holds('other.id')}) > (${inPool('$8::text[]')}) + (${holds('$3')}))`;

/** Empty: of an entry of the release before. As in the index (boss.ts), like `waits` and `inOrder`. */
const entryClass = `coalesce(entry.data ->> 'class', '')`;
const waits = `entry.name = 'job' and entry.name = $1 and entry.state < 'active' and not entry.blocked`;
const inOrder = 'entry.priority desc, entry.created_on';
const classFirst = (paidOrFree: string): string => `($6 = ${paidOrFree}) desc`;

/**
 * The next jobs that suit a worker. Parameters as in `nextEntries` (leases.ts), and $7 to $12: version, labels, models,
 * pools, tools with models, seconds. A job is
 *
 * - refused by a worker whose models are not those that its order was promised;
 * - left to workers of the version that took the order, while one of them lives and takes jobs;
 * - left to a worker that suits it better (its pool first, then its inputs) and has a free slot, for some seconds: a
 *   preference with overflow, so that no machine is idle beside a queue.
 *
 * The first two are the same for all jobs of a class (entry-class.ts): a worker that must refuse 10,000 jobs looks at
 * one of each class. The first jobs of each other class are read from an index that has them in their order; entries
 * of the release before have no class.
 *
 * @param limit a further condition on `entry`
 */
export const suitedEntries = (limit: string): string => `
classes as (
  (select ${entryClass} as class from ${queueSchema}.job entry where ${waits} order by 1 limit 1)
  union all
  select (select ${entryClass} from ${queueSchema}.job entry where ${waits} and ${entryClass} > classes.class
    order by 1 limit 1)
  from classes where classes.class is not null
),
suited as (
  select class, split_part(class, ' ', 1) as paid_or_free from (select * from classes where class <> '') classes
  cross join lateral (
    select jobs.* from ${queueSchema}.job entry join jobs on jobs.id = entry.data ->> 'id'
    where ${waits} and ${entryClass} = class order by ${inOrder} limit 1) jobs
  where ($5::text is null or $5 = split_part(class, ' ', 1)) and ${mayRun}
),
of_classes as (
  select first.* from suited cross join lateral (
    select entry.id, paid_or_free, entry.priority, entry.created_on
    from ${queueSchema}.job entry
    where ${waits} and ${entryClass} = class and entry.start_after <= ${queueSchema}.job_now() ${limit}
      and not (${leftToOthers})
    order by ${inOrder} limit $2 for update of entry skip locked) first
),
without_class as (
  select first.* from (select from classes where class = '') none cross join lateral (
    select entry.id, ${paidOrFree} as paid_or_free, entry.priority, entry.created_on
    from ${queueSchema}.job entry
    where ${waits} and ${entryClass} = '' and entry.start_after <= ${queueSchema}.job_now() ${limit}
      and ($5::text is null or $5 = ${paidOrFree})
      and exists (select from jobs where jobs.id = entry.data ->> 'id' and ${mayRun}) and not (${leftToOthers})
    order by ${classFirst(paidOrFree)}, ${inOrder} limit $2 for update of entry skip locked) first
),
next as (
  select entry.id from (select * from of_classes union all select * from without_class) as entry
  order by ${classFirst('entry.paid_or_free')}, ${inOrder} limit $2
)`;

export const suitedValues = (worker: ClaimingWorker): readonly unknown[] => [
  worker.version,
  [...worker.labels],
  [...worker.models],
  JSON.stringify(worker.pools),
  [...worker.modelTools],
  worker.waitSeconds,
];

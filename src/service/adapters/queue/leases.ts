// Claims of tasks: the queue's entry becomes active and points at its worker, in one statement. Entries are pg-boss's,
// in its own columns and with its own fence (the count of claims), so that its other calls work on them as usual.
import { CompiledQuery, sql, type Kysely, type Transaction } from 'kysely';
import { leaseSeconds } from '../../rules/fleet/fleet.ts';
import type { JobClass, JobPick } from '../../rules/fleet/job-classes.ts';
import { lockCounts } from '../advisory-locks.ts';
import { type BossDatabase, queueSchema, type TaskKind } from './boss.ts';
import { paidOrFree } from './entries.ts';
import { suitedEntries } from './suited.ts';

/** What claims need of a database. */
interface Queries {
  readonly query: BossDatabase['query'];
}

/** A running task of this process. */
export interface Claim {
  /** Of the queue's entry. */
  readonly id: string;
  readonly kind: TaskKind;
  /** Id of the job or file. */
  readonly task: string;
  /** Number of earlier claims: only the latest one may end the task. */
  readonly retryCount: number;
  /** The entry's own heartbeat; null: none. */
  readonly heartbeatSeconds: number | null;
  /** Of a job; other tasks count as paid ones. */
  readonly jobClass: JobClass;
}

/** A claim's parameters from $2 to $6. */
const claimValues = ({ most, only, first }: JobPick, workerId: string, perOwner: number | null): readonly unknown[] => [
  most,
  workerId,
  perOwner,
  only,
  first,
];

/**
 * Claims and ends commit asynchronously: after a database crash a lost claim is made again, and a lost end is found in
 * the job's or file's row.
 */
const quickly = `quickly as materialized (select set_config('synchronous_commit', 'off', true))`;

/**
 * The first entries in line. $1 kind, $2 how many, $5 only of this class (null: of both), $6 the class that goes first.
 * Only jobs have classes: an order by them for other kinds takes four times as long before 10,000 entries.
 */
const nextEntries = (limit: string, classed: boolean): string => `
next as (
  select entry.id from ${queueSchema}.job entry
  where entry.name = $1 and entry.state < 'active' and not entry.blocked and entry.start_after <= ${queueSchema}.job_now()
    and ($5::text is null or $5 = ${paidOrFree}) ${limit} and $6::text is not null
  order by ${classed ? `($6 = ${paidOrFree}) desc, ` : ''}entry.priority desc, entry.created_on
  limit $2 for update of entry skip locked
)`;

const claimStatement = (next: string): string => `
with recursive ${quickly},
${next},
claimed as (
  update ${queueSchema}.job entry set state = 'active', started_on = ${queueSchema}.job_now(),
    heartbeat_on = ${queueSchema}.job_now(),
    retry_count = case when entry.started_on is not null then entry.retry_count + 1 else entry.retry_count end
  from next, quickly where entry.name = $1 and entry.id = next.id
  returning entry.id, entry.data ->> 'id' as task, entry.retry_count, entry.heartbeat_seconds, ${paidOrFree} as class
),
leased as (
  insert into task_leases (entry_id, kind, worker_id) select id, $1, $3 from claimed
  on conflict (entry_id) do update set worker_id = excluded.worker_id
)
select id, task, retry_count, heartbeat_seconds, class from claimed`;

/** Only of owners with fewer running tasks of the kind. $4 null: owners have no limit. */
const ownerLimit = `and ($4::int is null or entry.group_id is null or entry.group_id not in (
    select other.group_id from ${queueSchema}.job other
    where other.name = $1 and other.state = 'active' and other.group_id is not null
    group by other.group_id having count(*) >= $4))`;
const claimFirst = claimStatement(nextEntries(ownerLimit, false));
const claimFirstJob = claimStatement(nextEntries(ownerLimit, true));
/** The first entries of jobs that suit a worker, also for claims with leases of another kind. */
export const nextSuited = suitedEntries(ownerLimit);
/** The same as `claimFirstJob`, of jobs that suit the worker. */
const claimSuited = claimStatement(nextSuited);

interface ClaimRow {
  readonly id: string;
  readonly task: string;
  readonly retry_count: number;
  readonly heartbeat_seconds: number | null;
  readonly class: JobClass;
}

/** Takes the queued tasks of the kind that are first in line. */
export async function claimTasks<Tables>(
  { kysely }: { readonly kysely: Kysely<Tables> },
  kind: TaskKind,
  pick: JobPick,
  workerId: string,
  suited: readonly unknown[] | null = null,
): Promise<readonly Claim[]> {
  return await claim(kysely, kind, claimValues(pick, workerId, null), suited);
}

/** Takes one task of an owner who has fewer than `perOwner` running tasks of the kind in the whole fleet. */
export async function claimWithin<Tables>(
  trx: Transaction<Tables>,
  kind: TaskKind,
  perOwner: number,
  pick: JobPick,
  workerId: string,
  suited: readonly unknown[] | null = null,
): Promise<readonly Claim[]> {
  await lockCounts(trx, kind);
  return await claim(trx, kind, claimValues({ ...pick, most: 1 }, workerId, perOwner), suited);
}

/** By a named statement: the server plans it once per connection, which takes longer than running it. */
async function claim<Tables>(
  db: Kysely<Tables>,
  kind: TaskKind,
  values: readonly unknown[],
  suited: readonly unknown[] | null,
): Promise<readonly Claim[]> {
  const statement = suited !== null ? claimSuited : kind === 'job' ? claimFirstJob : claimFirst;
  const { rows } = await db
    .withoutPlugins()
    .executeQuery<ClaimRow>(CompiledQuery.raw(statement, [kind, ...values, ...(suited ?? [])]));
  return toClaims(kind, rows);
}

const toClaims = (kind: TaskKind, rows: readonly ClaimRow[]): readonly Claim[] =>
  rows.map(({ id, task, retry_count: retryCount, heartbeat_seconds: heartbeatSeconds, class: jobClass }) => ({
    id,
    kind,
    task,
    retryCount,
    heartbeatSeconds,
    jobClass,
  }));

const completeStatement = `
with ${quickly},
done as (
  update ${queueSchema}.job set state = 'completed', completed_on = ${queueSchema}.job_now() from quickly
  where name = $1 and id = any($2::uuid[]) and state = 'active'
    and (id::text || ':' || retry_count::text) = any($3::text[])
)
delete from task_leases where entry_id = any($2::uuid[]) and worker_id = $4`;

/** Ends tasks of one kind, unless they were redelivered in the meantime. */
export async function completeTasks(
  database: Queries,
  kind: TaskKind,
  claims: readonly Claim[],
  workerId: string,
): Promise<void> {
  const pairs = claims.map(({ id, retryCount }) => `${id}:${retryCount}`);
  await database.query(completeStatement, [kind, claims.map(({ id }) => id), pairs, workerId]);
}

/** Kinds of tasks that may be started now. */
export async function dueKinds(database: Queries, kinds: readonly TaskKind[]): Promise<readonly TaskKind[]> {
  const { rows } = await database.query(
    `select kind from unnest($1::text[]) as kind where exists (
      select from ${queueSchema}.job entry where entry.name = kind and entry.state < 'active' and not entry.blocked
        and entry.start_after <= ${queueSchema}.job_now())`,
    [kinds],
  );
  return (rows as readonly { readonly kind: TaskKind }[]).map(({ kind }) => kind);
}

/** Deletes and returns the leases of these workers. The workers' rows are locked: each lease is taken once. */
export async function takeLeases<Tables>(
  trx: Transaction<Tables>,
  workerIds: readonly string[],
  which: 'lost' | 'any',
): Promise<readonly { readonly entryId: string; readonly kind: TaskKind }[]> {
  const { rows: taken } = await sql<{ id: string }>`
    update workers set lost_at = clock_timestamp()
    where id = any(${[...workerIds]}::text[]) and (${which === 'any'}
      or (lost_at is null and last_beat_at < clock_timestamp() - ${leaseSeconds} * interval '1 second'))
    returning id`.execute(trx.withoutPlugins());
  if (taken.length === 0) return [];
  const { rows } = await sql<{ entry_id: string; kind: TaskKind }>`
    delete from task_leases where worker_id = any(${taken.map(({ id }) => id)}::text[])
    returning entry_id, kind`.execute(trx.withoutPlugins());
  return rows.map(({ entry_id: entryId, kind }) => ({ entryId, kind }));
}

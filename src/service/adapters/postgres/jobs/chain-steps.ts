// What follows in a chain when one of its jobs has ended: the next step's jobs, or its settlement.
import { sql, type Selectable, type Transaction } from 'kysely';
import {
  deliveryOf,
  lengthsOf,
  type NewStepRun,
  type Next,
  nextOf,
  rateOf,
  stemOf,
  type StepRun,
  unneeded,
} from '../../../rules/chains/next-step.ts';
import type { ChainFile, StoredStep } from '../../../rules/chains/stored-chain.ts';
import { shareKeyOf } from '../../../rules/fleet/job-classes.ts';
import type { RunIdentity } from '../../../rules/fleet/fleet.ts';
import { newId } from '../../../rules/shared/ids.ts';
import { utcDay } from '../../../rules/accounts/free.ts';
import { billedLength } from '../../../rules/tools/prices.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { announce } from '../database/changes.ts';
import type { ChainTable, Tables } from '../database/schema.ts';
import { moveCredits } from '../money/ledger.ts';
import { jobTask, nextShareRank } from './sharing.ts';

export type ChainRow = Selectable<ChainTable>;
type Promised = Pick<RunIdentity, 'version' | 'models'> | null;

/**
 * Goes on with a chain: does nothing while jobs of its current step are open, and for a chain that has ended. Locks the
 * chain's row, after that of a job and before that of its account.
 * @param queue null: a worker's reconciler enqueues the jobs of the next step
 * @param promise of the process that took the order; null: that of the jobs before
 */
export async function goOnWithChain(
  trx: Transaction<Tables>,
  queue: Enqueuer | null,
  chainId: string,
  promise: Promised = null,
): Promise<void> {
  const chain = await lockChain(trx, chainId);
  if (chain === null) return;
  const { jobs, runs } = await readRuns(trx, chainId);
  if (chain.status !== 'running') return expire(trx, allOutputs(runs));
  const next = nextOf(chain.plan, runs);
  if (next.kind === 'wait') return;
  if (next.kind === 'run' && !chain.cancelRequested) {
    const [before] = jobs;
    const promised = promise ?? (before === undefined ? null : promiseOf(before));
    await beginStep(trx, queue, chain, next, promised);
    await expire(trx, unneeded(chain.plan, runs));
    return announce(trx, [chainId]);
  }
  const end: Next & { kind: 'end' } =
    next.kind === 'end'
      ? next
      : { kind: 'end', status: 'cancelled', error: null, failedStep: chain.plan.steps[next.step]?.name ?? null };
  await settle(trx, chain, end, runs);
  if (end.status !== 'succeeded') await stopOthers(trx, chainId);
  return announce(trx, [chainId]);
}

export async function lockChain(trx: Transaction<Tables>, id: string): Promise<ChainRow | null> {
  return (await trx.selectFrom('chains').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) ?? null;
}

const promiseOf = (job: {
  readonly promisedVersion: string | null;
  readonly promisedModels: readonly string[] | null;
}): Promised =>
  job.promisedVersion === null || job.promisedModels === null
    ? null
    : { version: job.promisedVersion, models: job.promisedModels };

async function readRuns(trx: Transaction<Tables>, chainId: string) {
  const jobs = await trx
    .selectFrom('jobs')
    .select([
      'chainStep',
      'status',
      'error',
      'outputFileIds',
      'processedSeconds',
      'creditsPerMinute',
      'promisedVersion',
      'promisedModels',
    ])
    .where('chainId', '=', chainId)
    .orderBy('chainStep')
    .orderBy('chainRun')
    .execute();
  const files = await readFiles(
    trx,
    jobs.flatMap(({ outputFileIds }) => outputFileIds),
  );
  const byId = new Map(files.map((file) => [file.id, file]));
  const runs = jobs.map(({ chainStep, status, error, outputFileIds, processedSeconds, creditsPerMinute }): StepRun => ({
    step: chainStep ?? 0,
    status,
    error,
    processedSeconds,
    creditsPerMinute: creditsPerMinute ?? 0,
    outputs: outputFileIds.flatMap((id) => byId.get(id) ?? []),
  }));
  return { jobs, runs };
}

const allOutputs = (runs: readonly StepRun[]): string[] => runs.flatMap(({ outputs }) => outputs.map(({ id }) => id));

/** In the order of the ids. */
async function readFiles(trx: Transaction<Tables>, ids: readonly string[]): Promise<ChainFile[]> {
  if (ids.length === 0) return [];
  const rows = await trx
    .selectFrom('files')
    .select(['id', 'filename', 'durationSeconds'])
    .where('id', 'in', [...ids])
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function beginStep(
  trx: Transaction<Tables>,
  queue: Enqueuer | null,
  chain: ChainRow,
  { step: index, runs }: Next & { readonly kind: 'run' },
  promise: Promised,
): Promise<void> {
  const step = chain.plan.steps[index] as StoredStep;
  const { accountId } = chain;
  const owner = { accountId, free: false };
  let shareRank = await nextShareRank(trx, owner);
  const valuesOf = ({ inputs, options, writes }: NewStepRun, run: number) => ({
    id: newId('job'),
    accountId,
    freeSubject: accountId,
    freeDay: utcDay(chain.createdAt),
    tool: step.tool,
    inputs: JSON.stringify(
      Object.fromEntries(Object.entries(inputs).map(([field, files]) => [field, files.map(({ id }) => id)])),
    ),
    options: JSON.stringify(options),
    free: false,
    windowSeconds: null,
    // The chain's reservation pays it.
    price: 0,
    billedSeconds: billedLength(step.billing, lengthsOf(step, inputs)),
    creditsPerMinute: rateOf(step, inputs),
    shareKey: shareKeyOf(owner),
    shareRank: shareRank++,
    promisedVersion: promise?.version ?? null,
    promisedModels: promise === null ? null : [...promise.models],
    chainId: chain.id,
    chainStep: index,
    chainRun: run,
    writes: JSON.stringify(writes),
  });
  const rows = await trx.insertInto('jobs').values(runs.map(valuesOf)).returningAll().execute();
  await queue?.enqueue(trx, rows.map(jobTask));
}

/** Releases or charges what was reserved, and gives the account what it gets. */
async function settle(
  trx: Transaction<Tables>,
  chain: ChainRow,
  { status, error, failedStep }: Next & { readonly kind: 'end' },
  runs: readonly StepRun[],
): Promise<void> {
  const all = deliveryOf(chain.plan, runs);
  const isPaid = status === 'succeeded' || chain.settling === 'steps';
  const files = status === 'succeeded' ? [...all.results.keys()] : isPaid ? all.files : [];
  const charged = isPaid ? Math.min(chain.price, all.credits) : 0;
  await handOver(trx, chain, files, all.results);
  await expire(
    trx,
    allOutputs(runs).filter((id) => !files.includes(id)),
  );
  // What was asked for may hold words.
  const plan = { ...chain.plan, files: [], steps: chain.plan.steps.map((step) => ({ ...step, options: {} })) };
  await trx
    .updateTable('chains')
    .set({
      status,
      charged,
      failedStep,
      plan: JSON.stringify(plan),
      error: error === null ? null : JSON.stringify(error),
      outputFileIds: [...files],
      finishedAt: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', chain.id)
    .execute();
  // Last, in the order of locks: many wait for the account's row.
  if (chain.price > 0)
    await moveCredits(trx, {
      accountId: chain.accountId,
      kind: charged > 0 ? 'charge' : 'release',
      credits: charged > 0 ? -charged : 0,
      reserved: -chain.price,
      jobId: chain.id,
      note: null,
    });
}

/** Files between steps become the account's: results under the chain's name. */
async function handOver(
  trx: Transaction<Tables>,
  { accountId, name, plan }: ChainRow,
  ids: readonly string[],
  results: ReadonlyMap<string, string>,
): Promise<void> {
  const files = await readFiles(trx, ids);
  const [first] = plan.files;
  const stem = `${stemOf(first?.filename ?? 'result')}.${name}`;
  const used = new Map<string, number>();
  for (const { id, filename } of files) {
    const extension = `${results.get(id) ?? ''}${filename.slice(stemOf(filename).length)}`;
    const times = (used.get(extension) ?? 0) + 1;
    if (results.has(id)) used.set(extension, times);
    const named = `${stem}${times === 1 ? '' : `-${times}`}${extension}`;
    await trx
      .updateTable('files')
      .set({
        accountId,
        ...(results.has(id) ? { filename: named } : {}),
        createdAt: sql<Date>`clock_timestamp()`,
        expiresAt: sql<Date>`clock_timestamp() + (expires_at - created_at)`,
      })
      .where('id', '=', id)
      .execute();
  }
  await announce(trx, ids);
}

/** Files between steps go with the next sweep. */
async function expire(trx: Transaction<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('files')
    .set({ expiresAt: sql<Date>`least(expires_at, clock_timestamp())` })
    .where('id', 'in', [...ids])
    .where('accountId', 'is', null)
    .execute();
}

/**
 * The other jobs of a step that has failed or was cancelled. A job whose row is locked is being settled at this moment:
 * waiting for it could be a deadlock, and its outputs go when it has ended.
 */
async function stopOthers(trx: Transaction<Tables>, chainId: string): Promise<void> {
  const open = sql`select id from jobs where chain_id = ${chainId} and status in ('queued', 'running')
    for update skip locked`;
  const { rows } = await sql<{ id: string }>`
    update jobs set
      cancel_requested = true,
      status = case status when 'queued' then 'cancelled' else status end,
      stage = case status when 'queued' then 'cancelled' else stage end,
      finished_at = case status when 'queued' then clock_timestamp() end
    where id in (${open}) returning id`.execute(trx);
  await sql`delete from finished_parts using jobs
    where job_id = jobs.id and jobs.chain_id = ${chainId} and jobs.status = 'cancelled'`.execute(trx);
  await announce(
    trx,
    rows.map(({ id }) => id),
  );
}

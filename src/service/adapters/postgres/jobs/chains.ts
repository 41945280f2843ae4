import { type Kysely, sql, type Transaction } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { ChainStore, ChainWithJobs, NewChain } from '../../../rules/chains/chain-store.ts';
import type { StepJob } from '../../../rules/chains/stored-chain.ts';
import type { RunIdentity } from '../../../rules/fleet/fleet.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { newestPage } from '../database/cursor.ts';
import { announce } from '../database/changes.ts';
import type { Database } from '../database/database.ts';
import { findTarget, lockKey, rememberTarget } from '../database/idempotency.ts';
import type { Tables } from '../database/schema.ts';
import { usageOf } from '../database/usage.ts';
import { lockAccount, moveCredits } from '../money/ledger.ts';
import { type ChainRow, goOnWithChain, lockChain } from './chain-steps.ts';
import { shortResult } from './short-result.ts';

/** Chains that one round goes on with at most. */
const batch = 100;

/** @param queue null: jobs are not enqueued here; a worker's reconciler does it */
export function createChainStore(
  database: Database,
  queue: Enqueuer | null,
  identity: RunIdentity | null = null,
): ChainStore {
  const { kysely } = database;

  return {
    create: (chain) => database.transaction((trx) => createIn(trx, queue, identity, chain)),
    findByIdempotency: (owner, idempotency) => findTarget(kysely, { owner, scope: 'job' }, idempotency),
    async get(id) {
      const chain = await kysely.selectFrom('chains').selectAll().where('id', '=', id).executeTakeFirst();
      return (await withJobs(kysely, chain === undefined ? [] : [chain], true))[0] ?? null;
    },
    async list(accountId, page) {
      const own = kysely.selectFrom('chains').selectAll().where('accountId', '=', accountId);
      const found = await newestPage(own, page, (row) => row);
      return { ...found, items: await withJobs(kysely, found.items, false) };
    },
    requestCancel: (id) => database.transaction((trx) => requestCancel(trx, id)),
    async goOn() {
      const rows = await kysely
        .selectFrom('chains')
        .select('id')
        .where('status', '=', 'running')
        .where(
          sql<boolean>`not exists (select from jobs where jobs.chain_id = chains.id and jobs.status in ('queued', 'running'))`,
        )
        .limit(batch)
        .execute();
      for (const { id } of rows) await database.transaction((trx) => goOnWithChain(trx, queue, id));
      return rows.length;
    },
  };
}

/** The caller's transaction orders the chain. */
async function createIn(
  trx: Transaction<Tables>,
  queue: Enqueuer | null,
  identity: RunIdentity | null,
  { idempotency, decide, plan, ...chain }: NewChain,
): Promise<{ readonly id: string; readonly created: boolean }> {
  const { id, accountId, price } = chain;
  const scope = { owner: accountId, scope: 'job' } as const;
  const { balance, reserved } = await lockAccount(trx, accountId);
  if (idempotency !== null) {
    await lockKey(trx, scope, idempotency);
    const earlier = await findTarget(trx, scope, idempotency);
    if (earlier !== null) return { id: earlier, created: false };
  }
  decide({ availableCredits: balance - reserved, usage: await usageOf(trx, accountId) });
  await trx
    .insertInto('chains')
    .values({ ...chain, fileIds: [...chain.fileIds], plan: JSON.stringify(plan) })
    .execute();
  if (price > 0)
    await moveCredits(trx, { accountId, kind: 'reserve', credits: 0, reserved: price, jobId: id, note: null });
  if (idempotency !== null) await rememberTarget(trx, scope, idempotency, id);
  await goOnWithChain(trx, queue, id, identity);
  return { id, created: true };
}

async function requestCancel(trx: Transaction<Tables>, id: string): Promise<readonly string[]> {
  const chain = await lockChain(trx, id);
  if (chain === null) throw new EarshotError('not_found', `There is no chain ${id}`, { details: { id } });
  const { status } = chain;
  if (status !== 'running')
    throw new EarshotError(
      'job_not_cancellable',
      `The chain ${id} has ${status === 'cancelled' ? 'been cancelled' : status} already; expected one that ` +
        'is queued or running',
      { details: { id, status } },
    );
  await trx.updateTable('chains').set({ cancelRequested: true }).where('id', '=', id).execute();
  await announce(trx, [id]);
  const open = await trx
    .selectFrom('jobs')
    .select('id')
    .where('chainId', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .execute();
  return open.map((job) => job.id);
}

/** @param whole also long results */
async function withJobs(kysely: Kysely<Tables>, chains: readonly ChainRow[], whole: boolean): Promise<ChainWithJobs[]> {
  if (chains.length === 0) return [];
  const rows = await kysely
    .selectFrom('jobs')
    .select(['id', 'chainId', 'chainStep', 'status', 'stage', 'processedSeconds', 'creditsPerMinute'])
    .select(['warnings', 'error', 'startedAt'])
    .select(sql<number>`greatest(progress, furthest)`.as('progress'))
    .$if(whole, (query) => query.select('result'))
    .$if(!whole, (query) => query.select(shortResult.as('result')))
    .where(
      'chainId',
      'in',
      chains.map(({ id }) => id),
    )
    .orderBy('chainStep')
    .orderBy('chainRun')
    .execute();
  const toStep = ({ chainId: _chain, chainStep, creditsPerMinute, ...job }: (typeof rows)[number]): StepJob => ({
    ...job,
    step: chainStep ?? 0,
    creditsPerMinute: creditsPerMinute ?? 0,
    result: job.result ?? null,
    warnings: job.warnings ?? [],
  });
  return chains.map((chain) => ({
    chain,
    jobs: rows.filter(({ chainId }) => chainId === chain.id).map(toStep),
  }));
}

import { type Kysely, type Selectable, sql, type Transaction, type Updateable } from 'kysely';
import type { ErrorJson } from '../../../../library/core/errors/errors.ts';
import type { FreeRun, FreeRunStore } from '../../../rules/free-runs/free-run-store.ts';
import type { WholePrice } from '../../../rules/jobs/pending-order.ts';
import { lockName } from '../../advisory-locks.ts';
import { batchQuestions } from '../database/batched-reads.ts';
import type { Database } from '../database/database.ts';
import { mostShown, overviewOf } from './free-overview.ts';
import { settleArriving } from '../jobs/pending-orders.ts';
import { toFreeRun } from '../database/rows.ts';
import type { FreeRunTable, Tables } from '../database/schema.ts';

export function createFreeRunStore(database: Database): FreeRunStore {
  const { kysely } = database;

  /** @returns the current run */
  const settle = (id: string, changes: Updateable<FreeRunTable>): Promise<FreeRun | null> =>
    database.transaction(async (trx) => {
      const row = await settleArriving(trx, 'free_runs', id, changes);
      return row === undefined ? getFrom(trx, id) : toFreeRun(row);
    });

  const readWaiting = batchQuestions(async (asked: readonly { readonly visitor: string; readonly since: Date }[]) => {
    const { rows } = await sql<{ waiting: number }>`
      select (select count(*) from free_runs as run
        where run.visitor = asked.visitor and run.status = 'waiting' and run.finish_job_id is null
          and run.created_at > asked.since) as waiting
      from unnest(${asked.map(({ visitor }) => visitor)}::text[], ${asked.map(({ since }) => since)}::timestamptz[])
        with ordinality as asked (visitor, since, number)
      order by number`.execute(kysely);
    return rows.map(({ waiting }) => waiting);
  });

  return {
    get: (id) => getFrom(kysely, id),
    async create(run, references) {
      const insert = (db: Kysely<Tables>): Promise<Selectable<FreeRunTable>> =>
        db
          .insertInto('free_runs')
          .values({ ...run, request: JSON.stringify(run.request), status: 'arriving' })
          .returningAll()
          .executeTakeFirstOrThrow();
      if (references.length === 0) return toFreeRun(await insert(kysely));
      return await database.transaction(async (trx) => {
        const row = await insert(trx);
        const rows = references.map(({ name, sound }, place) => ({ runId: run.id, place, name, sound }));
        await trx.insertInto('voice_references').values(rows).execute();
        return toFreeRun(row);
      });
    },
    async finishedBy(jobId) {
      const row = await kysely.selectFrom('free_runs').selectAll().where('finishJobId', '=', jobId).executeTakeFirst();
      return row === undefined ? null : toFreeRun(row);
    },
    started: (id, whole) => settle(id, { status: 'started', ...(whole === null ? {} : priceOf(whole)) }),
    refused: (id, error) => settle(id, { status: 'refused', error: JSON.stringify(error) }),
    wait: (id, whole, error, limit) => database.transaction((trx) => letWait(trx, id, whole, error, limit)),
    waiting: (visitor, since) => readWaiting({ visitor, since }),
    async waitingRuns(visitor, at) {
      const rows = await kysely
        .selectFrom('free_runs')
        .selectAll()
        .where('visitor', '=', visitor)
        .where('status', '=', 'waiting')
        .where('finishJobId', 'is', null)
        .where('expiresAt', '>', at)
        .orderBy('createdAt', 'desc')
        .limit(mostShown)
        .execute();
      return rows.map(toFreeRun);
    },
    async remove(id) {
      await kysely.deleteFrom('free_runs').where('id', '=', id).execute();
    },
    overview: (day, at) => overviewOf(kysely, day, at),
  };
}

async function getFrom(db: Kysely<Tables>, id: string): Promise<FreeRun | null> {
  const row = await db.selectFrom('free_runs').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : toFreeRun(row);
}

const priceOf = ({ credits, billing }: WholePrice): Updateable<FreeRunTable> => ({
  price: credits,
  billedSeconds: billing.seconds,
  creditsPerMinute: billing.creditsPerMinute,
});

/** See `FreeRunStore.wait`. */
async function letWait(
  trx: Transaction<Tables>,
  id: string,
  whole: WholePrice,
  error: ErrorJson,
  { since, most, contentHash }: Parameters<FreeRunStore['wait']>[3],
): Promise<FreeRun | null> {
  const run = await trx.selectFrom('free_runs').selectAll().where('id', '=', id).executeTakeFirst();
  if (run === undefined) return null;
  await lockName(trx, 'waiting', run.visitor);
  const same =
    contentHash === null ? undefined : await findSame(trx, { visitor: run.visitor, contentHash, at: run.createdAt });
  if (same !== undefined && same.id !== id) {
    const kept = await keepLonger(trx, same, run.expiresAt);
    return toFreeRun(kept);
  }
  const { count } = await trx
    .selectFrom('free_runs')
    .select((expressions) => expressions.fn.countAll<number>().as('count'))
    .where('visitor', '=', run.visitor)
    .where('status', '=', 'waiting')
    .where('finishJobId', 'is', null)
    .where('createdAt', '>', since)
    .executeTakeFirstOrThrow();
  if (count >= most) return null;
  const row = await settleArriving(trx, 'free_runs', id, {
    status: 'waiting',
    error: JSON.stringify(error),
    contentHash,
    ...priceOf(whole),
  });
  return row === undefined ? getFrom(trx, id) : toFreeRun(row);
}

/** The visitor's waiting run with the same content. */
function findSame(
  trx: Transaction<Tables>,
  { visitor, contentHash, at }: { readonly visitor: string; readonly contentHash: string; readonly at: Date },
): Promise<Selectable<FreeRunTable> | undefined> {
  return trx
    .selectFrom('free_runs')
    .selectAll()
    .where('visitor', '=', visitor)
    .where('contentHash', '=', contentHash)
    .where('status', '=', 'waiting')
    .where('finishJobId', 'is', null)
    .where('expiresAt', '>', at)
    .orderBy('createdAt', 'desc')
    .forUpdate()
    .executeTakeFirst();
}

/** A file that is sent again is kept as long as a new one. */
async function keepLonger(
  trx: Transaction<Tables>,
  { id, request, expiresAt }: Selectable<FreeRunTable>,
  until: Date,
): Promise<Selectable<FreeRunTable>> {
  const later = until > expiresAt ? until : expiresAt;
  await trx
    .updateTable('files')
    .set({ expiresAt: later })
    .where('id', 'in', Object.values(request.inputs).flat())
    .where('status', '=', 'ready')
    .execute();
  return trx
    .updateTable('free_runs')
    .set({ expiresAt: later })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

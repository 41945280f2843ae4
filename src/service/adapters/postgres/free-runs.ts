import type { Selectable, Transaction, Updateable } from 'kysely';
import { sql } from 'kysely';
import type { ErrorJson } from '../../../library/core/errors.ts';
import type { FreeOverview, FreeRun, FreeRunStore } from '../../rules/free-run-store.ts';
import { batchQuestions } from './batched-reads.ts';
import { announce } from './changes.ts';
import type { Database } from './database.ts';
import { lockName } from './idempotency.ts';
import { toFreeRun } from './rows.ts';
import type { FreeRunTable, Tables } from './schema.ts';

/** Most waiting runs of a list. */
const mostShown = 100;

export function createFreeRunStore(database: Database): FreeRunStore {
  const { kysely } = database;

  const orNull = (row: Selectable<FreeRunTable> | undefined): FreeRun | null =>
    row === undefined ? null : toFreeRun(row);

  const get = async (id: string): Promise<FreeRun | null> =>
    orNull(await kysely.selectFrom('free_runs').selectAll().where('id', '=', id).executeTakeFirst());

  /** Changes an arriving run; only the first of concurrent calls does. */
  const settle = (id: string, changes: Updateable<FreeRunTable>): Promise<FreeRun | null> =>
    database.transaction(async (trx) => {
      const row = await trx
        .updateTable('free_runs')
        .set(changes)
        .where('id', '=', id)
        .where('status', '=', 'arriving')
        .returningAll()
        .executeTakeFirst();
      if (row === undefined)
        return orNull(await trx.selectFrom('free_runs').selectAll().where('id', '=', id).executeTakeFirst());
      await announce(trx, [id]);
      return toFreeRun(row);
    });

  const priceOf = (whole: FreeRun['whole']): Updateable<FreeRunTable> =>
    whole === null
      ? {}
      : {
          price: whole.credits,
          billed_seconds: whole.billing.seconds,
          credits_per_minute: whole.billing.creditsPerMinute,
        };

  const countWaiting = (visitor: string, since: Date) =>
    kysely
      .selectFrom('free_runs')
      .select((expressions) => expressions.fn.countAll<number>().as('count'))
      .where('visitor', '=', visitor)
      .where('status', '=', 'waiting')
      .where('finish_job_id', 'is', null)
      .where('created_at', '>', since);

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
    get,
    async create({ id, accountId, visitor, tool, request, createdAt, expiresAt }) {
      const row = await kysely
        .insertInto('free_runs')
        .values({
          id,
          account_id: accountId,
          visitor,
          tool,
          request: JSON.stringify(request),
          status: 'arriving',
          created_at: createdAt,
          expires_at: expiresAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toFreeRun(row);
    },
    async finishedBy(jobId) {
      return orNull(
        await kysely.selectFrom('free_runs').selectAll().where('finish_job_id', '=', jobId).executeTakeFirst(),
      );
    },
    started: (id, whole) => settle(id, { status: 'started', ...priceOf(whole) }),
    refused: (id, error) => settle(id, { status: 'refused', error: JSON.stringify(error) }),
    async wait(id, whole, error: ErrorJson, { since, most, contentHash }) {
      return database.transaction(async (trx) => {
        const run = await trx.selectFrom('free_runs').selectAll().where('id', '=', id).executeTakeFirst();
        if (run === undefined) return null;
        await lockName(trx, `waiting ${run.visitor}`);
        const same =
          contentHash === null
            ? undefined
            : await findSame(trx, { visitor: run.visitor, contentHash, at: run.created_at });
        if (same !== undefined && same.id !== id) {
          const kept = await keepLonger(trx, same, run.expires_at);
          return toFreeRun(kept);
        }
        const { rows } = await trx.executeQuery(countWaiting(run.visitor, since).compile());
        if ((rows[0]?.count ?? 0) >= most) return null;
        const row = await trx
          .updateTable('free_runs')
          .set({ status: 'waiting', error: JSON.stringify(error), content_hash: contentHash, ...priceOf(whole) })
          .where('id', '=', id)
          .where('status', '=', 'arriving')
          .returningAll()
          .executeTakeFirst();
        if (row === undefined)
          return orNull(await trx.selectFrom('free_runs').selectAll().where('id', '=', id).executeTakeFirst());
        await announce(trx, [id]);
        return toFreeRun(row);
      });
    },
    waiting: (visitor, since) => readWaiting({ visitor, since }),
    async waitingRuns(visitor, at) {
      const rows = await kysely
        .selectFrom('free_runs')
        .selectAll()
        .where('visitor', '=', visitor)
        .where('status', '=', 'waiting')
        .where('finish_job_id', 'is', null)
        .where('expires_at', '>', at)
        .orderBy('created_at', 'desc')
        .limit(mostShown)
        .execute();
      return rows.map(toFreeRun);
    },
    async remove(id) {
      await kysely.deleteFrom('free_runs').where('id', '=', id).execute();
    },
    async overview(day, at): Promise<FreeOverview> {
      const [uses, seconds, waiting] = await Promise.all([
        kysely
          .selectFrom('free_uses')
          .select([
            'tool',
            sql<number>`sum(taken)::bigint`.as('uses'),
            sql<number>`count(*) filter (where taken > 0)`.as('visitors'),
          ])
          .where('day', '=', day)
          .groupBy('tool')
          .execute(),
        kysely.selectFrom('free_days').select('seconds').where('day', '=', day).executeTakeFirst(),
        kysely
          .selectFrom('free_runs')
          .selectAll()
          .where('status', '=', 'waiting')
          .where('finish_job_id', 'is', null)
          .where('expires_at', '>', at)
          .orderBy('created_at')
          .limit(mostShown)
          .execute(),
      ]);
      return {
        uses: Object.fromEntries(uses.map(({ tool, uses: taken, visitors }) => [tool, { uses: taken, visitors }])),
        seconds: seconds?.seconds ?? 0,
        waiting: waiting.map(toFreeRun),
      };
    },
  };
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
    .where('content_hash', '=', contentHash)
    .where('status', '=', 'waiting')
    .where('finish_job_id', 'is', null)
    .where('expires_at', '>', at)
    .orderBy('created_at', 'desc')
    .forUpdate()
    .executeTakeFirst();
}

/** A file that is sent again is kept as long as a new one. */
async function keepLonger(
  trx: Transaction<Tables>,
  { id, request, expires_at }: Selectable<FreeRunTable>,
  until: Date,
): Promise<Selectable<FreeRunTable>> {
  const later = until > expires_at ? until : expires_at;
  await trx
    .updateTable('files')
    .set({ expires_at: later })
    .where('id', 'in', Object.values(request.inputs).flat())
    .where('status', '=', 'ready')
    .execute();
  return trx
    .updateTable('free_runs')
    .set({ expires_at: later })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

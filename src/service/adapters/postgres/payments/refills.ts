import { sql, type Transaction } from 'kysely';
import type { PaymentStore } from '../../../rules/money/payment-store.ts';
import type { Database } from '../database/database.ts';
import { toPayment } from '../database/rows.ts';
import type { Tables } from '../database/schema.ts';

type Refills = Pick<PaymentStore, 'beginRefill' | 'refillable' | 'openRefills' | 'failRefill' | 'refilledSince'>;

/** Automatic payments. Whether one is due is decided under the account's lock, so that several processes make one. */
export function createRefills(database: Database): Refills {
  const { kysely } = database;
  return {
    beginRefill: (accountId, { id, provider, createdAt }) =>
      database.transaction(async (trx) => {
        const account = await trx
          .selectFrom('accounts')
          .selectAll()
          .where('id', '=', accountId)
          .where('deletedAt', 'is', null)
          .forNoKeyUpdate()
          .executeTakeFirst();
        if (account === undefined) return null;
        const { enabled, thresholdCents, amountCents, monthlyCapCents, card, failure = null } = account.autoRefill;
        if (!enabled || thresholdCents === null || amountCents === null || amountCents < 1) return null;
        if (card?.method === undefined || failure !== null) return null;
        if (account.balance - account.reserved >= thresholdCents) return null;
        const open = await trx
          .selectFrom('payments')
          .select('id')
          .where('accountId', '=', accountId)
          .where('automatic', '=', true)
          .where('status', '=', 'open')
          .executeTakeFirst();
        if (open !== undefined) return null;
        const spent = await refilled(trx, accountId, monthOf(createdAt));
        if (monthlyCapCents !== null && spent + amountCents > monthlyCapCents) return null;
        const row = await trx
          .insertInto('payments')
          .values({ id, provider, createdAt, accountId, amountCents, freeRunId: null, tool: null, automatic: true })
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPayment(row);
      }),

    async refillable() {
      const { rows } = await sql<{ id: string }>`
        select id from accounts
        where deleted_at is null and (auto_refill ->> 'enabled')::boolean
          and auto_refill #>> '{card,method}' is not null and coalesce(auto_refill -> 'failure', 'null') = 'null'
          and balance - reserved < (auto_refill ->> 'thresholdCents')::bigint
        limit 1000`.execute(kysely);
      return rows.map(({ id }) => id);
    },

    async openRefills(before) {
      const rows = await kysely
        .selectFrom('payments')
        .selectAll()
        .where('automatic', '=', true)
        .where('status', '=', 'open')
        .where('createdAt', '<', before)
        .limit(100)
        .execute();
      return rows.map(toPayment);
    },

    failRefill: (id, failure, code) =>
      database.transaction(async (trx) => {
        const row = await trx
          .updateTable('payments')
          .set({ status: 'closed', failure: code.slice(0, 200) })
          .where('id', '=', id)
          .where('status', '=', 'open')
          .returning('accountId')
          .executeTakeFirst();
        // It was confirmed in the meantime, or noted by another process.
        if (row === undefined || row.accountId === null) return false;
        await sql`update accounts set auto_refill = jsonb_set(auto_refill, '{failure}', ${JSON.stringify(failure)}::jsonb)
          where id = ${row.accountId}`.execute(trx);
        return true;
      }),

    refilledSince: (accountId, since) => kysely.transaction().execute((trx) => refilled(trx, accountId, since)),
  };
}

const monthOf = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));

/** Open payments count, since they may still be paid. */
async function refilled(trx: Transaction<Tables>, accountId: string, since: Date): Promise<number> {
  const { cents } = await trx
    .selectFrom('payments')
    .select(sql<number>`coalesce(sum(amount_cents), 0)::bigint`.as('cents'))
    .where('accountId', '=', accountId)
    .where('automatic', '=', true)
    .where('status', '<>', 'closed')
    .where('createdAt', '>=', since)
    .executeTakeFirstOrThrow();
  return cents;
}

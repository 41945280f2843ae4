import { sql } from 'kysely';
import type { PaymentStatus, PaymentStore } from '../../../rules/money/payment-store.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { newestPage } from '../database/cursor.ts';
import type { Database } from '../database/database.ts';
import { createRefills } from './refills.ts';
import { createPaymentReturns, lockPayment } from './payment-returns.ts';
import { settlePayment } from './payment-settlement.ts';
import { keepWhilePaying } from './paid-files.ts';
import { toPayment } from '../database/rows.ts';

/** Money came, a refill failed, or the operator still has to confirm it: no checkout that somebody only began. */
const isReceipt = sql<boolean>`(paid_at is not null or failure is not null or (status = 'open' and provider = 'operator'))`;

/** @param queue null: the job of a payment is not enqueued here; a worker's reconciler does it */
export function createPaymentStore(database: Database, queue: Enqueuer | null): PaymentStore {
  const { kysely } = database;

  return {
    async create(payment, keep) {
      return database.transaction(async (trx) => {
        if (keep !== null) await keepWhilePaying(trx, keep, payment.createdAt);
        return toPayment(await trx.insertInto('payments').values(payment).returningAll().executeTakeFirstOrThrow());
      });
    },
    async get(id) {
      const row = await kysely.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toPayment(row);
    },
    async refer(id, reference) {
      await kysely.updateTable('payments').set({ reference }).where('id', '=', id).execute();
    },
    list: (page, accountId = null) =>
      newestPage(
        kysely
          .selectFrom('payments')
          .selectAll()
          .$if(accountId !== null, (query) => query.where('accountId', '=', accountId).where(isReceipt)),
        page,
        toPayment,
      ),
    async confirm(id, paidCents, order) {
      return database.transaction(async (trx) => {
        const payment = await lockPayment(trx, id);
        if (payment.paidAt !== null) return { payment: toPayment(payment), first: false };
        return { payment: toPayment(await settlePayment(trx, queue, payment, paidCents, order)), first: true };
      });
    },
    async close(id) {
      await kysely
        .updateTable('payments')
        .set({ status: 'closed' })
        .where('id', '=', id)
        .where('status', '=', 'open')
        .execute();
    },
    ...createRefills(database),
    ...createPaymentReturns(database),
    async counts() {
      const { rows } = await sql<{ status: PaymentStatus | 'disputed'; count: number }>`
        select case when dispute = 'open' then 'disputed' else status end as status, count(*) as count
        from payments group by 1`.execute(kysely);
      const counts: Record<PaymentStatus | 'disputed', number> = {
        open: 0,
        paid: 0,
        refunded: 0,
        closed: 0,
        disputed: 0,
      };
      for (const { status, count } of rows) counts[status] = count;
      return counts;
    },
  };
}

import type { Selectable, Transaction } from 'kysely';
import { EarshotError } from '../../../library/core/errors.ts';
import { shownName } from '../../../library/core/names.ts';
import type { PaymentStore } from '../../rules/payment-store.ts';
import type { Database } from './database.ts';
import { lockAccount, moveCredits } from './ledger.ts';
import { toPayment } from './rows.ts';
import type { PaymentTable, Tables } from './schema.ts';

export type PaymentRow = Selectable<PaymentTable>;

/** Refunds and disputes: bought credits are taken back. */
export function createPaymentReturns(database: Database): Pick<PaymentStore, 'refund' | 'dispute'> {
  return {
    async refund(id, refundedCents) {
      return database.transaction(async (trx) => {
        const payment = await lockPayment(trx, id);
        const more = refundedCents - payment.refundedCents;
        if (more <= 0) return toPayment(payment);
        const taken =
          payment.accountId !== null && payment.paidAt !== null
            ? await takeBack(trx, payment.accountId, `refund of ${id}`, more)
            : more;
        const row = await trx
          .updateTable('payments')
          .set({
            refundedCents,
            // Frozen credits are taken first.
            frozenCredits: Math.max(0, payment.frozenCredits - (more - taken)),
            ...(payment.paidAt !== null && refundedCents >= payment.paidCents ? { status: 'refunded' as const } : {}),
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPayment(row);
      });
    },
    async dispute(id, dispute, cents) {
      return database.transaction(async (trx) => {
        const payment = await lockPayment(trx, id);
        // A decision is final, also if older events arrive later.
        if (payment.dispute === dispute || payment.dispute === 'won' || payment.dispute === 'lost')
          return toPayment(payment);
        const { accountId, frozenCredits: frozen } = payment;
        let frozenCredits = frozen;
        if (accountId !== null && payment.paidAt !== null) {
          if (dispute !== 'won' && payment.dispute === null)
            frozenCredits = await takeBack(trx, accountId, `${id} is disputed`, Math.min(cents, payment.paidCents));
          if (dispute === 'won' && frozen > 0) {
            const note = `${id} is no longer disputed`;
            await moveCredits(trx, { accountId, kind: 'adjustment', credits: frozen, reserved: 0, jobId: null, note });
          }
        }
        const row = await trx
          .updateTable('payments')
          .set({ dispute, disputedCents: cents, frozenCredits: dispute === 'won' ? 0 : frozenCredits })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPayment(row);
      });
    },
  };
}

export async function lockPayment(trx: Transaction<Tables>, id: string): Promise<PaymentRow> {
  const row = await trx.selectFrom('payments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (row === undefined)
    throw new EarshotError('not_found', `There is no payment ${shownName(id)}`, {
      details: { id: shownName(id) },
    });
  return row;
}

/**
 * Takes back bought credits, as many as are available.
 * @returns the number of credits taken
 */
export async function takeBack(
  trx: Transaction<Tables>,
  accountId: string,
  note: string,
  cents: number,
): Promise<number> {
  const { balance, reserved } = await lockAccount(trx, accountId);
  const credits = Math.min(cents, balance - reserved);
  if (credits <= 0) return 0;
  await moveCredits(trx, { accountId, kind: 'adjustment', credits: -credits, reserved: 0, jobId: null, note });
  return credits;
}

import { sql, type Selectable, type Transaction } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { shownName } from '../../../../library/core/checks/names.ts';
import type { PaymentStore } from '../../../rules/money/payment-store.ts';
import { disputedCents, disputeOf, owedCredits, together } from '../../../rules/payments/disputes.ts';
import type { Database } from '../database/database.ts';
import { lockAccount, moveCredits } from '../money/ledger.ts';
import { toPayment } from '../database/rows.ts';
import type { PaymentDisputeTable, PaymentTable, Tables } from '../database/schema.ts';

export type PaymentRow = Selectable<PaymentTable>;
type DisputeRow = Selectable<PaymentDisputeTable>;

/** Refunds and disputes: bought credits are taken back. */
export function createPaymentReturns(database: Database): Pick<PaymentStore, 'refund' | 'dispute'> {
  return {
    async refund(id, refundedCents) {
      return database.transaction(async (trx) => {
        const payment = await lockPayment(trx, id);
        if (refundedCents <= payment.refundedCents) return toPayment(payment);
        const disputes = await disputesOf(trx, payment);
        const refunded = { ...payment, refundedCents };
        await follow(trx, payment, owedCredits(payment, disputes), owedCredits(refunded, disputes), null);
        return toPayment(await keepReturns(trx, refunded, disputes));
      });
    },
    async dispute(id, news) {
      return database.transaction(async (trx) => {
        const payment = await lockPayment(trx, id);
        const before = await disputesOf(trx, payment);
        const known = disputeOf(before, id, news);
        const rowOf = (row: DisputeRow) =>
          trx.updateTable('payment_disputes').where('paymentId', '=', id).where('id', '=', row.id);
        if (known !== undefined && (known.status === news.status || known.status !== 'open')) {
          // A decision is final, also if older events arrive later.
          if (known.id !== news.id) await rowOf(known).set({ id: news.id }).execute();
          return { payment: toPayment(payment), changed: false };
        }
        const values = {
          id: news.id,
          status: news.status,
          cents: news.cents,
          decidedAt: news.status === 'open' ? null : new Date(),
        };
        await (
          known === undefined
            ? trx.insertInto('payment_disputes').values({ ...values, paymentId: id })
            : rowOf(known).set(values)
        ).execute();
        const after = [...before.filter((each) => each !== known), values];
        await follow(trx, payment, owedCredits(payment, before), owedCredits(payment, after), news.id);
        return { payment: toPayment(await keepReturns(trx, payment, after)), changed: true };
      });
    },
  };
}

/** The refund and the disputes that came before the payment was confirmed: takes back what it owes by them. */
export async function takeEarlierReturns(
  trx: Transaction<Tables>,
  payment: PaymentRow & { readonly accountId: string },
): Promise<PaymentRow> {
  const disputes = await disputesOf(trx, payment);
  const refunded = owedCredits(payment, []);
  await follow(trx, payment, 0, refunded, null);
  let owed = refunded;
  for (const [index, { id }] of disputes.entries()) {
    const next = owedCredits(payment, disputes.slice(0, index + 1));
    await follow(trx, payment, owed, next, id);
    owed = next;
  }
  return keepReturns(trx, payment, disputes);
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
 * Disputes of a locked payment, the oldest first. The release before, which may run beside this one, writes to the
 * payment alone: what it says there is added.
 */
async function disputesOf(trx: Transaction<Tables>, { id, dispute, disputedCents: cents }: PaymentRow) {
  const read = (): Promise<DisputeRow[]> =>
    trx.selectFrom('payment_disputes').selectAll().where('paymentId', '=', id).orderBy('createdAt').execute();
  const rows = await read();
  if (dispute === null || dispute === together(rows)) return rows;
  const decidedAt = dispute === 'open' ? null : new Date();
  await (
    rows.length === 0
      ? trx.insertInto('payment_disputes').values({ id, paymentId: id, status: dispute, cents, decidedAt })
      : trx
          .updateTable('payment_disputes')
          .set({ status: dispute, decidedAt })
          .where('paymentId', '=', id)
          .where('status', '=', 'open')
  ).execute();
  return read();
}

/** Moves the credits that follow when what a payment owes back has changed. Takes as many as are available. */
async function follow(
  trx: Transaction<Tables>,
  { id, accountId, paidAt }: PaymentRow,
  before: number,
  after: number,
  disputeId: string | null,
): Promise<void> {
  if (accountId === null || paidAt === null || before === after) return;
  const rest = { kind: 'adjustment' as const, reserved: 0, jobId: null, paymentId: id, disputeId };
  if (after < before) {
    // Not all may have been there to take.
    const credits = (await takenCredits(trx, id)) - after;
    if (credits > 0) await moveCredits(trx, { ...rest, accountId, credits, note: `${id} is no longer disputed` });
    return;
  }
  const { balance, reserved } = await lockAccount(trx, accountId);
  const credits = Math.min(after - before, balance - reserved);
  const note = disputeId === null ? `refund of ${id}` : `${id} is disputed`;
  if (credits > 0) await moveCredits(trx, { ...rest, accountId, credits: -credits, note });
}

/** Credits taken for a payment and not returned. The ledger alone knows: not all that it owes may have been there. */
async function takenCredits(trx: Transaction<Tables>, paymentId: string): Promise<number> {
  const { taken } = await trx
    .selectFrom('ledger')
    .select(sql<number>`coalesce(-sum(credits), 0)::bigint`.as('taken'))
    .where('paymentId', '=', paymentId)
    .where('kind', '=', 'adjustment')
    .executeTakeFirstOrThrow();
  return taken;
}

async function keepReturns(
  trx: Transaction<Tables>,
  { id, paidAt, paidCents, refundedCents, status }: PaymentRow,
  disputes: readonly Pick<DisputeRow, 'status' | 'cents'>[],
): Promise<PaymentRow> {
  const disputed = disputedCents(disputes);
  const taken = await takenCredits(trx, id);
  return trx
    .updateTable('payments')
    .set({
      refundedCents,
      status: paidAt !== null && refundedCents >= paidCents ? 'refunded' : status,
      dispute: together(disputes),
      disputedCents: disputed,
      // What was refunded counts as taken first.
      frozenCredits: disputed === 0 ? 0 : Math.max(0, taken - refundedCents),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

import { EarshotError } from '../../../library/core/errors/errors.ts';
import { shownName } from '../../../library/core/checks/names.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { newId } from '../shared/ids.ts';
import type { Payment } from '../money/payment-store.ts';
import type { Payments } from './payment-use-cases.ts';
import { createAccountPayments } from './account-payments.ts';
import { createCheckout } from './checkout.ts';
import { type PaymentsDeps, requireProvider } from './deps.ts';
import { createNotices } from './notices.ts';
import { createReceipts } from './receipts.ts';
import { createRefills } from './refills.ts';

/** Payments: checkout, events, receipts, refunds. */
export function createPayments(deps: PaymentsDeps): Payments {
  const { payments, accounts, provider, config, now } = deps;
  const { begin, ...checkout } = createCheckout(deps);
  const notices = createNotices(deps);
  const refills = createRefills(deps, confirm, notices);
  async function get(id: string): Promise<Payment> {
    const payment = await payments.get(id);
    if (payment !== null) return payment;
    throw new EarshotError('not_found', `There is no payment ${shownName(id)}`, {
      details: { id: shownName(id) },
    });
  }

  async function confirm(id: string, paidCents: number): Promise<Payment> {
    if (!Number.isSafeInteger(paidCents) || paidCents < 1) throw badValue('cents', 'whole number above 0', paidCents);
    const at = now();
    const { payment, first } = await payments.confirm(id, paidCents, {
      at,
      accountId: newId('acc'),
      accountName: `Paid by ${id}`,
      jobId: newId('job'),
      keepUntil: new Date(at.getTime() + config.retentionSeconds * 1000),
    });
    if (first && payment.accountId !== null) void notices.paid(payment);
    return payment;
  }

  return {
    checkoutOrigin: provider?.checkoutOrigin ?? null,
    get,
    confirm,
    ...checkout,
    ...createAccountPayments(deps, begin),
    ...createReceipts(deps, get),

    async onEvent(body, signature) {
      const event = await requireProvider(deps).readEvent(body, signature);
      if (event?.kind === 'card_saved') {
        await refills.keepCard(event.accountId, event.card);
        return null;
      }
      // The provider may also send events about payments that we do not know.
      const before = event === null ? null : await payments.get(event.paymentId);
      if (event === null || before === null) return null;
      if (event.kind === 'paid') await confirm(event.paymentId, event.paidCents);
      else if (event.kind === 'declined') await refills.failed(before, event.cause, event.code);
      else if (event.kind === 'closed') await payments.close(event.paymentId);
      else if (event.kind === 'refunded') await payments.refund(event.paymentId, event.refundedCents);
      else {
        const { payment, changed } = await payments.dispute(event.paymentId, event.dispute);
        return changed ? payment : null;
      }
      return null;
    },

    async refund(id, cents) {
      const payment = await get(id);
      const left = payment.paidCents - payment.refundedCents;
      const wanted = cents ?? left;
      if (!Number.isSafeInteger(wanted) || wanted < 1 || wanted > left)
        throw badValue(
          'cents',
          left < 1 ? 'a payment with something left to refund' : `whole number of 1 to ${left}`,
          wanted,
        );
      const account = payment.accountId === null ? null : await accounts.get(payment.accountId);
      const available = account === null ? 0 : account.balance - account.reserved;
      if (available < wanted)
        throw new EarshotError(
          'insufficient_balance',
          `Expected ${wanted} available credits on ${payment.accountId} to take back but there are ${available}`,
          { nextAction: 'Refund less, or wait until its jobs have ended.', details: { available } },
        );
      const total = payment.refundedCents + wanted;
      // Idempotent: repeated after a failure, it is the same refund to the provider.
      await requireProvider(deps).refund(payment, wanted, total);
      return payments.refund(id, total);
    },

    list: (page) => payments.list(page),
    refills,
  };
}

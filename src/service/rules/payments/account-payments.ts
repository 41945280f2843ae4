import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Payments } from './payment-use-cases.ts';
import { canPay } from '../settings/can-pay.ts';
import { type BeginPayment, checkAmount, requireOpen } from './checkout.ts';
import type { PaymentsDeps } from './deps.ts';

/** Payments of a signed-in account, for its pages. */
export function createAccountPayments(
  deps: PaymentsDeps,
  begin: BeginPayment,
): Pick<Payments, 'possible' | 'payForAccount' | 'goOn' | 'listOf' | 'ofAccount'> {
  const { payments, provider, config, baseUrl } = deps;
  return {
    possible: provider !== null && canPay(config),

    async payForAccount({ id }, cents) {
      checkAmount(cents, config.minimumPaymentCents);
      const wanted = { freeRunId: null, accountId: id, tool: null, amountCents: cents };
      const backTo = (paymentId: string): string => `${baseUrl()}/receipts/${paymentId}`;
      return begin(wanted, `${cents} credits`, `${baseUrl()}/credits?back=1`, { backTo });
    },

    async goOn(payment) {
      if (payment.status !== 'open') return null;
      // A saved card is charged without a page.
      if (payment.automatic) return { url: null };
      const further = await requireOpen(deps).goOn(payment);
      // The provider tells of an abandoned checkout late, or never when its event is lost.
      if (further === null) await payments.close(payment.id);
      return further;
    },

    listOf: (account, page) => payments.list(page, account.id),

    async ofAccount(account, id) {
      const payment = await payments.get(id);
      if (payment?.accountId === account.id) return payment;
      throw new EarshotError('not_found', 'There is no such payment');
    },
  };
}

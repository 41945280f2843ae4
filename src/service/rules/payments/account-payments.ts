import { EarshotError } from '../../../library/core/errors.ts';
import type { Payments } from '../service.ts';
import { canPay } from './can-pay.ts';
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
      const further = payment.status === 'open' ? await requireOpen(deps).goOn(payment) : null;
      return further?.url ?? null;
    },

    listOf: (account, page) => payments.list(page, account.id),

    async ofAccount(account, id) {
      const payment = await payments.get(id);
      if (payment?.accountId === account.id) return payment;
      throw new EarshotError('not_found', 'There is no such payment');
    },
  };
}

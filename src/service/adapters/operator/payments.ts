import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { PaymentProvider } from '../../rules/money/payment-provider.ts';

/**
 * Payments that the operator confirms by hand (`earshot payments confirm`): for operators with their own payment
 * system, and for tests.
 */
export function createOperatorPayments(): PaymentProvider {
  return {
    id: 'operator',
    cards: null,
    checkoutOrigin: null,
    checkoutSeconds: null,
    begin: () => Promise.resolve({ reference: null, url: null }),
    goOn: () => Promise.resolve({ url: null }),
    async readEvent() {
      throw new EarshotError(
        'not_found',
        'Payments are confirmed by the operator; this service accepts no payment events',
      );
    },
    refund: () => Promise.resolve(),
  };
}

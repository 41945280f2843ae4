import { EarshotError } from '../../../library/core/errors.ts';
import type { PaymentProvider } from '../../rules/payment-provider.ts';

/**
 * Payments that the operator takes and confirms by hand (`earshot payments confirm`): for hosts with a till of their
 * own, and for tests.
 */
export function createOperatorPayments(): PaymentProvider {
  return {
    id: 'operator',
    checkoutOrigin: null,
    checkoutSeconds: null,
    begin: () => Promise.resolve({ reference: null, url: null }),
    goOn: () => Promise.resolve({ url: null }),
    async readEvent() {
      throw new EarshotError('not_found', 'Payments are confirmed by the operator here; nobody sends events');
    },
    refund: () => Promise.resolve(),
  };
}

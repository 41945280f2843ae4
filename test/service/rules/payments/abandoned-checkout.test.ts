// A checkout that somebody began and left: the page says so, and it ends.
import { expect, it } from 'vitest';
import type { Config } from '../../../../src/service/rules/settings/config.ts';
import type { PaymentProvider } from '../../../../src/service/rules/money/payment-provider.ts';
import type { Payment } from '../../../../src/service/rules/money/payment-store.ts';
import { createAccountPayments } from '../../../../src/service/rules/payments/account-payments.ts';
import type { PaymentsDeps } from '../../../../src/service/rules/payments/deps.ts';

function paymentsWith(session: { readonly url: string | null } | null) {
  const closed: string[] = [];
  const deps = {
    provider: { id: 'stripe', goOn: async () => session } as unknown as PaymentProvider,
    payments: { close: async (id: string) => void closed.push(id) },
    config: { payments: 'stripe' } as Config,
    baseUrl: () => 'http://127.0.0.1:1',
  } as unknown as PaymentsDeps;
  const { goOn } = createAccountPayments(deps, () => Promise.reject(new Error('not here')));
  return { goOn, closed };
}

const payment = { id: 'pay_1', status: 'open', automatic: false } as Payment;

it('leads back to the checkout while that is open', async () => {
  const { goOn, closed } = paymentsWith({ url: 'https://checkout.test/1' });
  expect([await goOn(payment), closed]).toEqual([{ url: 'https://checkout.test/1' }, []]);
});

it('waits for what the bank is still checking, and for a saved card', async () => {
  const checking = paymentsWith({ url: null });
  expect([await checking.goOn(payment), checking.closed]).toEqual([{ url: null }, []]);
  const automatic = paymentsWith(null);
  expect([await automatic.goOn({ ...payment, automatic: true }), automatic.closed]).toEqual([{ url: null }, []]);
});

it('ends when the provider says that the checkout has ended', async () => {
  const { goOn, closed } = paymentsWith(null);
  expect([await goOn(payment), closed]).toEqual([null, ['pay_1']]);
  expect([await goOn({ ...payment, status: 'closed' }), closed]).toEqual([null, ['pay_1']]);
});

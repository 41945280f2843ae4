import { createOperatorPayments } from '../adapters/operator/payments.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { optionalPackage } from '../../library/core/start/optional-package.ts';
import type { Config } from '../rules/settings/config.ts';
import type { PaymentProvider } from '../rules/money/payment-provider.ts';

/**
 * The configured payment provider; null: none. Stripe's library is loaded only if needed.
 * @throws EarshotError bad_request when Stripe's keys are missing
 */
export async function createPaymentProvider({
  payments,
  stripeKey,
  stripeWebhookSecret,
  stripeUrl,
}: Pick<Config, 'payments' | 'stripeKey' | 'stripeWebhookSecret' | 'stripeUrl'>): Promise<PaymentProvider | null> {
  if (payments === 'none') return null;
  if (payments === 'operator') return createOperatorPayments();
  if (stripeKey === null || stripeWebhookSecret === null)
    throw new EarshotError(
      'bad_request',
      'Expected EARSHOT_STRIPE_KEY and EARSHOT_STRIPE_WEBHOOK_SECRET with EARSHOT_PAYMENTS=stripe but ' +
        `${stripeKey === null ? 'the key' : 'the secret'} is missing`,
      { nextAction: 'Set both, or EARSHOT_PAYMENTS=operator.' },
    );
  const { createStripePayments } = await optionalPackage(
    'stripe',
    'Payments by Stripe need',
    () => import('../adapters/stripe/payments.ts'),
  );
  return createStripePayments({ secretKey: stripeKey, webhookSecret: stripeWebhookSecret, url: stripeUrl });
}

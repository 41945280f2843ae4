import { Stripe } from 'stripe';
import { EarshotError } from '../../core/errors.ts';
import type { PaymentEvent, PaymentProvider } from '../../service/payment-provider.ts';

export interface StripeOptions {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Address of the API. */
  readonly url: string;
}

/** Half an hour is the least that Stripe takes; nobody should pay for files that have gone. */
const checkoutSeconds = 31 * 60;
const currency = 'usd';
const checkoutOrigin = 'https://checkout.stripe.com';

/**
 * Stripe Checkout. A payment counts when Stripe says so in a signed event; what the browser brings back says nothing.
 * Sessions and refunds carry idempotency keys, so that a repeated call makes nothing twice.
 */
export function createStripePayments({ secretKey, webhookSecret, url }: StripeOptions): PaymentProvider {
  const { protocol, hostname, port } = new URL(url);
  const stripe = new Stripe(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    telemetry: false,
    maxNetworkRetries: 2,
    timeout: 20_000,
  });

  return {
    id: 'stripe',
    checkoutOrigin,
    async begin({ paymentId, amountCents, title, returnUrl, cancelUrl }) {
      const session = await call(() =>
        stripe.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: paymentId,
            metadata: { payment_id: paymentId },
            // The charge carries it, too: a refund names its charge alone.
            payment_intent_data: { metadata: { payment_id: paymentId }, description: `${title} (${paymentId})` },
            line_items: [
              { quantity: 1, price_data: { currency, unit_amount: amountCents, product_data: { name: title } } },
            ],
            success_url: returnUrl,
            cancel_url: cancelUrl,
            expires_at: Math.floor(Date.now() / 1000) + checkoutSeconds,
          },
          { idempotencyKey: paymentId },
        ),
      );
      return { reference: session.id, url: session.url };
    },

    readEvent(body, signature) {
      let event: Stripe.Event;
      try {
        event = stripe.webhooks.constructEvent(body, signature ?? '', webhookSecret);
      } catch (thrown) {
        throw new EarshotError('unauthorized', "Expected an event with Stripe's signature but received none", {
          nextAction: 'Set EARSHOT_STRIPE_WEBHOOK_SECRET to the secret of this webhook.',
          cause: thrown,
        });
      }
      return meaningOf(event);
    },

    async refund({ reference, id }, cents, totalCents) {
      if (reference === null) throw new EarshotError('conflict', `Stripe knows no checkout of the payment ${id}`);
      await call(async () => {
        const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(reference);
        const intentId = typeof intent === 'string' ? intent : intent?.id;
        if (intentId === undefined) throw new EarshotError('conflict', `Stripe has no payment for ${id} yet`);
        await stripe.refunds.create(
          { payment_intent: intentId, amount: cents, metadata: { payment_id: id } },
          { idempotencyKey: `${id}-refund-${totalCents}` },
        );
      });
    },
  };
}

function meaningOf(event: Stripe.Event): PaymentEvent | null {
  if (event.type === 'charge.refunded') {
    const { metadata, amount_refunded: refundedCents } = event.data.object;
    const paymentId = metadata['payment_id'];
    return paymentId === undefined ? null : { kind: 'refunded', paymentId, refundedCents };
  }
  const completed =
    event.type === 'checkout.session.completed' || event.type === 'checkout.session.async_payment_succeeded';
  const ended = event.type === 'checkout.session.expired' || event.type === 'checkout.session.async_payment_failed';
  if (!completed && !ended) return null;
  const {
    metadata,
    client_reference_id: reference,
    payment_status: status,
    amount_total: cents,
    currency: paidIn,
  } = event.data.object;
  const paymentId = metadata?.['payment_id'] ?? reference;
  if (paymentId === null) return null;
  if (ended) return { kind: 'closed', paymentId };
  // Banks that take days to pay complete the session first and pay later.
  return status === 'paid' && cents !== null && paidIn === currency
    ? { kind: 'paid', paymentId, paidCents: cents }
    : null;
}

/** What Stripe's library throws names keys and requests: its text is for the log. */
async function call<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof EarshotError) throw thrown;
    throw new EarshotError('internal_error', 'The payment provider cannot be reached or refuses', {
      retryable: true,
      cause: thrown,
    });
  }
}

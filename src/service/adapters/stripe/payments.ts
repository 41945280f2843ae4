import { createHmac, timingSafeEqual } from 'node:crypto';
import { Stripe } from 'stripe';
import { EarshotError } from '../../../library/core/errors.ts';
import type { PaymentEvent, PaymentProvider } from '../../rules/payment-provider.ts';
import type { PaymentDispute } from '../../rules/payment-store.ts';

export interface StripeOptions {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Address of the API. */
  readonly url: string;
}

/** Half an hour is the least that Stripe takes; nobody should pay for files that have gone. */
const checkoutSeconds = 31 * 60;
const currency = 'usd';
/** Stripe's own API answers with checkouts at another name; whatever else speaks it has them at its own. */
const checkoutOriginOf = (url: string): string =>
  new URL(url).hostname === 'api.stripe.com' ? 'https://checkout.stripe.com' : new URL(url).origin;

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
    checkoutOrigin: checkoutOriginOf(url),
    checkoutSeconds,
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

    async goOn({ reference }) {
      if (reference === null) return null;
      const { status, url: address } = await call(() => stripe.checkout.sessions.retrieve(reference));
      if (status === 'open') return { url: address };
      return status === 'complete' ? { url: null } : null;
    },

    async readEvent(body, signature) {
      let event: Stripe.Event;
      try {
        event = stripe.webhooks.constructEvent(body, signature ?? '', webhookSecret);
      } catch (thrown) {
        throw signatureError(body, signature, webhookSecret, thrown);
      }
      if (event.type !== 'charge.dispute.created' && event.type !== 'charge.dispute.closed') return meaningOf(event);
      const { status, amount: cents, payment_intent: intent } = event.data.object;
      const intentId = typeof intent === 'string' ? intent : intent?.id;
      if (intentId === undefined) return null;
      // A dispute carries nothing of ours; the payment behind it does.
      const { metadata } = await call(() => stripe.paymentIntents.retrieve(intentId));
      const paymentId = metadata['payment_id'];
      if (paymentId === undefined) return null;
      const dispute = disputes[status] ?? 'open';
      return { kind: 'disputed', paymentId, dispute, cents };
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

/** How disputes stand by Stripe's word; the rest are open. A warning that is closed came to nothing. */
const disputes: Readonly<Record<string, PaymentDispute>> = { won: 'won', warning_closed: 'won', lost: 'lost' };

/** Stripe's library takes a signature for this long, by the clock of this machine. */
const toleranceSeconds = 300;

/** Which of the three it was: nothing signed, the wrong secret, or a clock that is off. */
function signatureError(body: Buffer, signature: string | null, secret: string, cause: unknown): EarshotError {
  if (signature === null)
    return new EarshotError('unauthorized', 'Expected an event with the header Stripe-Signature but received none', {
      nextAction: 'Let Stripe send its events here itself, unchanged.',
      cause,
    });
  const now = Math.floor(Date.now() / 1000);
  const signedAt = Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1] ?? NaN);
  const genuine = isSigned(body, signature, signedAt, secret);
  const off = Math.abs(now - signedAt);
  if (genuine && off > toleranceSeconds)
    return new EarshotError(
      'unauthorized',
      `The signature of this event is genuine but ${off} s ${signedAt < now ? 'old' : 'ahead'} by the clock of this machine; ` +
        `expected at most ${toleranceSeconds} s`,
      { nextAction: "Set this machine's clock; Stripe sends the event again.", details: { clockSeconds: off }, cause },
    );
  return new EarshotError('unauthorized', "Expected an event that is signed with this webhook's secret but it is not", {
    nextAction: 'Set EARSHOT_STRIPE_WEBHOOK_SECRET to the secret of this webhook.',
    cause,
  });
}

/** HMAC-SHA256 over the second and the body, as Stripe documents it; whether the second is recent is another question. */
function isSigned(body: Buffer, header: string, signedAt: number, secret: string): boolean {
  const wanted = createHmac('sha256', secret).update(`${signedAt}.`).update(body).digest();
  return header
    .split(',')
    .flatMap((part) => (part.startsWith('v1=') ? [Buffer.from(part.slice(3), 'hex')] : []))
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted));
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

import { createHmac, timingSafeEqual } from 'node:crypto';
import { Stripe } from 'stripe';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { chargeEventOf, createStripeCards, savedCardOf } from './cards.ts';
import type { PaymentEvent, PaymentProvider } from '../../rules/money/payment-provider.ts';
import type { PaymentDispute } from '../../rules/money/payment-store.ts';

export interface StripeOptions {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Address of the API. */
  readonly url: string;
}

/** Stripe's minimum is half an hour; the files must still exist when the payment is made. */
const checkoutSeconds = 31 * 60;
const currency = 'usd';
/** Stripe's checkout pages have another host; those of a test server have the same. */
const checkoutOriginOf = (url: string): string =>
  new URL(url).hostname === 'api.stripe.com' ? 'https://checkout.stripe.com' : new URL(url).origin;

/**
 * Stripe Checkout. Only a signed event of Stripe confirms a payment, never the browser's return. Sessions and refunds
 * have idempotency keys.
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
    cards: createStripeCards(stripe, call, currency),
    checkoutOrigin: checkoutOriginOf(url),
    checkoutSeconds,
    async begin({ paymentId, amountCents, title, returnUrl, cancelUrl }) {
      const session = await call(() =>
        stripe.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: paymentId,
            metadata: { payment_id: paymentId },
            // Also on the charge: a refund event contains only the charge.
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
      if (reference === null || isIntent(reference)) return null;
      const { status, url: address } = await call(() => stripe.checkout.sessions.retrieve(reference));
      if (status === 'open') return { url: address };
      return status === 'complete' ? { url: null } : null;
    },

    async readEvent(body, signature) {
      let event: Stripe.Event;
      try {
        event = stripe.webhooks.constructEvent(body, signature ?? '', webhookSecret);
      } catch (thrown) {
        throw refusalOf(body, signature, webhookSecret, thrown);
      }
      if (event.type === 'checkout.session.completed' && event.data.object.mode === 'setup')
        return savedCardOf(stripe, call, event.data.object);
      if (event.type !== 'charge.dispute.created' && event.type !== 'charge.dispute.closed')
        return chargeEventOf(event) ?? meaningOf(event);
      const { id, status, amount: cents, created, payment_intent: intent } = event.data.object;
      const intentId = typeof intent === 'string' ? intent : intent?.id;
      if (intentId === undefined) return null;
      // A dispute does not contain our metadata; its payment does.
      const { metadata } = await call(() => stripe.paymentIntents.retrieve(intentId));
      const paymentId = metadata['payment_id'];
      if (paymentId === undefined) return null;
      const dispute = { id, status: disputes[status] ?? 'open', cents, openedAt: new Date(created * 1000) };
      return { kind: 'disputed', paymentId, dispute };
    },

    async refund({ reference, id }, cents, totalCents) {
      if (reference === null) throw new EarshotError('conflict', `The payment ${id} has no checkout at Stripe`);
      await call(async () => {
        const intent = isIntent(reference)
          ? reference
          : (await stripe.checkout.sessions.retrieve(reference)).payment_intent;
        const intentId = typeof intent === 'string' ? intent : intent?.id;
        if (intentId === undefined) throw new EarshotError('conflict', `The payment ${id} is not paid at Stripe yet`);
        await stripe.refunds.create(
          { payment_intent: intentId, amount: cents, metadata: { payment_id: id } },
          { idempotencyKey: `${id}-refund-${totalCents}` },
        );
      });
    },
  };
}

/** A payment without a checkout, by a saved card. */
const isIntent = (reference: string): boolean => reference.startsWith('pi_');

/** Stripe's final dispute statuses; all others are open. warning_closed: the warning had no consequence. */
const disputes: Readonly<Record<string, PaymentDispute>> = { won: 'won', warning_closed: 'won', lost: 'lost' };

/** Stripe's library accepts signatures of this age, by this machine's clock. */
const toleranceSeconds = 300;

/** Why an event cannot be read: no signature, a wrong secret, a wrong clock, or no JSON. */
function refusalOf(body: Buffer, signature: string | null, secret: string, cause: unknown): EarshotError {
  if (signature === null)
    return new EarshotError('unauthorized', 'Expected an event with the header Stripe-Signature but received none', {
      nextAction: 'Only Stripe may send events to this address; a proxy must pass them on unchanged.',
      cause,
    });
  const now = Math.floor(Date.now() / 1000);
  const signedAt = Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1] ?? NaN);
  const genuine = isSigned(body, signature, signedAt, secret);
  const off = Math.abs(now - signedAt);
  if (genuine && off > toleranceSeconds)
    return new EarshotError(
      'unauthorized',
      `The signature of this event is valid but ${off} s ${signedAt < now ? 'old' : 'ahead'} by this machine's ` +
        `clock; expected at most ${toleranceSeconds} s`,
      {
        nextAction: "Correct this machine's clock; Stripe sends the event again.",
        details: { clockSeconds: off },
        cause,
      },
    );
  if (genuine)
    return new EarshotError('bad_request', 'Expected a signed event as JSON but received something that is not JSON', {
      nextAction: 'Send the event as Stripe made it; a proxy must pass it on unchanged.',
      cause,
    });
  return new EarshotError(
    'unauthorized',
    "Expected an event signed with this webhook's secret but its signature is wrong",
    {
      nextAction: 'Set EARSHOT_STRIPE_WEBHOOK_SECRET to the secret of this webhook.',
      cause,
    },
  );
}

/** Checks the HMAC-SHA256 of timestamp and body, as documented by Stripe, without the age of the timestamp. */
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
  // With slow payment methods the session completes first and is paid days later.
  return status === 'paid' && cents !== null && paidIn === currency
    ? { kind: 'paid', paymentId, paidCents: cents }
    : null;
}

/** Errors of Stripe's library contain keys and requests: they are only logged. */
async function call<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof EarshotError) throw thrown;
    throw new EarshotError('internal_error', 'The payment provider is unreachable or refused the request', {
      retryable: true,
      cause: thrown,
    });
  }
}

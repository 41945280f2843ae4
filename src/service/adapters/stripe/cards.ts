import { Stripe } from 'stripe';
import type { CardPayments, ChargeOutcome, PaymentEvent, SavedCard } from '../../rules/money/payment-provider.ts';
import type { RefillFailure } from '../../rules/money/auto-refill.ts';

/** Calls Stripe and translates its errors. */
type Call = <Answer>(work: () => Promise<Answer>) => Promise<Answer>;

/**
 * Saved cards: a checkout in setup mode saves one (a SetupIntent), and off-session PaymentIntents charge it. Amounts
 * are US cents.
 */
export function createStripeCards(stripe: Stripe, call: Call, currency: string): CardPayments {
  return {
    async save({ accountId, email, customer: known, press, returnUrl, cancelUrl }) {
      const metadata = { account_id: accountId };
      const customer: string =
        known ??
        (await call(() =>
          stripe.customers.create(
            { metadata, ...(email === null ? {} : { email }) },
            // The address may change between two attempts.
            { idempotencyKey: `customer-${accountId}-${press}` },
          ),
        ).then(({ id }) => id));
      const { url } = await call(() =>
        stripe.checkout.sessions.create(
          {
            mode: 'setup',
            customer,
            currency,
            metadata,
            setup_intent_data: { metadata },
            success_url: returnUrl,
            cancel_url: cancelUrl,
          },
          { idempotencyKey: `setup-${accountId}-${press}` },
        ),
      );
      return { url: url ?? returnUrl };
    },

    charge: ({ paymentId, card, amountCents, title }) =>
      call(async (): Promise<ChargeOutcome> => {
        try {
          const intent = await stripe.paymentIntents.create(
            {
              amount: amountCents,
              currency,
              customer: card.customer,
              payment_method: card.method,
              off_session: true,
              confirm: true,
              description: `${title} (${paymentId})`,
              metadata: { payment_id: paymentId, automatic: 'true' },
            },
            { idempotencyKey: paymentId },
          );
          if (intent.status === 'succeeded')
            return { kind: 'paid', reference: intent.id, paidCents: intent.amount_received };
          if (intent.status === 'processing') return { kind: 'pending', reference: intent.id };
          return { kind: 'failed', cause: 'confirm', code: intent.status };
        } catch (thrown) {
          if (!(thrown instanceof Stripe.errors.StripeCardError)) throw thrown;
          return {
            kind: 'failed',
            cause: causeOf(thrown.code ?? ''),
            code: reasonOf(thrown.decline_code, thrown.code),
          };
        }
      }),

    async forget(method) {
      await call(() => stripe.paymentMethods.detach(method, {}, { idempotencyKey: `detach-${method}` }));
    },
  };
}

/** The bank's own reason, if there is one: Stripe's library has '' for none. */
const reasonOf = (...codes: readonly (string | undefined)[]): string =>
  codes.find((code) => code !== undefined && code !== '') ?? 'card_error';

/** By Stripe's error codes. */
const causeOf = (code: string): RefillFailure['cause'] =>
  code === 'authentication_required' ? 'confirm' : code === 'expired_card' ? 'expired' : 'declined';

/** The card of a finished checkout in setup mode; null when it saved none for one of our accounts. */
export async function savedCardOf(
  stripe: Stripe,
  call: Call,
  session: Stripe.Checkout.Session,
): Promise<PaymentEvent | null> {
  const accountId = session.metadata?.['account_id'];
  const { setup_intent: intent } = session;
  const intentId = typeof intent === 'string' ? intent : intent?.id;
  if (accountId === undefined || intentId === undefined) return null;
  const { payment_method: method, customer } = await call(() =>
    stripe.setupIntents.retrieve(intentId, { expand: ['payment_method'] }),
  );
  const customerId = typeof customer === 'string' ? customer : customer?.id;
  if (method === null || typeof method === 'string' || method.card === undefined || customerId === undefined)
    return null;
  const { brand, last4 } = method.card;
  const card: SavedCard = { brand, last4, customer: customerId, method: method.id };
  return { kind: 'card_saved', accountId, card };
}

/** The outcome of an off-session charge, from an event; null when it is about another payment. */
export function chargeEventOf(event: Stripe.Event): PaymentEvent | null {
  if (event.type !== 'payment_intent.succeeded' && event.type !== 'payment_intent.payment_failed') return null;
  const { metadata, amount_received: paidCents, last_payment_error: error } = event.data.object;
  const paymentId = metadata['payment_id'];
  if (paymentId === undefined || metadata['automatic'] !== 'true') return null;
  if (event.type === 'payment_intent.succeeded') return { kind: 'paid', paymentId, paidCents };
  return {
    kind: 'declined',
    paymentId,
    cause: causeOf(error?.code ?? ''),
    code: reasonOf(error?.decline_code, error?.code),
  };
}

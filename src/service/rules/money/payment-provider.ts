import type { DisputeNews, Payment, PaymentProviderId } from './payment-store.ts';
import type { RefillFailure } from './auto-refill.ts';

/** An event of the payment provider. */
export type PaymentEvent =
  | { readonly kind: 'paid'; readonly paymentId: string; readonly paidCents: number }
  | { readonly kind: 'closed'; readonly paymentId: string }
  /** `refundedCents` in all so far. */
  | { readonly kind: 'refunded'; readonly paymentId: string; readonly refundedCents: number }
  /** A dispute: the payer's bank asks for the money back, or has decided. */
  | { readonly kind: 'disputed'; readonly paymentId: string; readonly dispute: DisputeNews }
  /** A charge of a saved card failed after all. */
  | {
      readonly kind: 'declined';
      readonly paymentId: string;
      readonly cause: RefillFailure['cause'];
      readonly code: string;
    }
  | { readonly kind: 'card_saved'; readonly accountId: string; readonly card: SavedCard };

/** A card saved at the provider, which can be charged off-session. */
export interface SavedCard {
  /** For example "visa". */
  readonly brand: string;
  /** The last four digits. */
  readonly last4: string;
  /** The provider's ids of the customer and of the card. */
  readonly customer: string;
  readonly method: string;
}

/** The outcome of an off-session charge. 'pending': an event will follow. */
export type ChargeOutcome =
  | { readonly kind: 'paid'; readonly reference: string; readonly paidCents: number }
  | { readonly kind: 'pending'; readonly reference: string }
  | { readonly kind: 'failed'; readonly cause: RefillFailure['cause']; readonly code: string };

/** Saved cards at the payment provider. */
export interface CardPayments {
  /**
   * Begins to save a card, which the user enters at the provider.
   * @param press the same press leads to the same page
   * @returns the address of the provider's page
   * @throws EarshotError internal_error when the provider cannot be reached or refuses
   */
  save(wanted: {
    readonly accountId: string;
    readonly email: string | null;
    readonly customer: string | null;
    readonly press: string;
    readonly returnUrl: string;
    readonly cancelUrl: string;
  }): Promise<{ readonly url: string }>;
  /**
   * Charges a saved card. Idempotent by the payment's id.
   * @throws EarshotError internal_error when the provider cannot be reached: the same call may be repeated
   */
  charge(order: {
    readonly paymentId: string;
    readonly card: Pick<SavedCard, 'customer' | 'method'>;
    readonly amountCents: number;
    readonly title: string;
  }): Promise<ChargeOutcome>;
  /** Deletes a saved card. Does nothing for an unknown one. */
  forget(method: string): Promise<void>;
}

/** The port of the payment provider. Only payments that it confirms count as paid. */
export interface PaymentProvider {
  readonly id: PaymentProviderId;
  /** null when it cannot save cards. */
  readonly cards: CardPayments | null;
  /** Origin of its checkout page, for the content security policy; null: it has none. */
  readonly checkoutOrigin: string | null;
  /** How long a checkout stays open, seconds; null: until the operator confirms it or the files expire. */
  readonly checkoutSeconds: number | null;
  /**
   * Begins a checkout.
   * @returns the address of the checkout page and the provider's reference; null where there is none
   * @throws EarshotError internal_error when the provider cannot be reached or refuses
   */
  begin(order: {
    readonly paymentId: string;
    readonly amountCents: number;
    /** Shown on the checkout page and on the bill. */
    readonly title: string;
    readonly returnUrl: string;
    readonly cancelUrl: string;
  }): Promise<{ readonly reference: string | null; readonly url: string | null }>;
  /**
   * Continues an open payment.
   * @returns url null: the provider has no page, the operator confirms it; null: the checkout has ended
   * @throws EarshotError internal_error when the provider cannot be reached or refuses
   */
  goOn(payment: Payment): Promise<{ readonly url: string | null } | null>;
  /**
   * Reads a signed event.
   * @returns null: the event is not about our payments
   * @throws EarshotError unauthorized when the signature is wrong or too old; bad_request when it is no JSON; not_found
   * when the provider sends no
   * events; internal_error when the provider has to be asked and cannot be reached
   */
  readEvent(body: Buffer, signature: string | null): Promise<PaymentEvent | null>;
  /** Refunds `cents`; `totalCents` is the sum of all refunds. Does nothing where refunds are made by hand. */
  refund(payment: Payment, cents: number, totalCents: number): Promise<void>;
}

import type { Payment, PaymentDispute, PaymentProviderId } from './payment-store.ts';

/** An event of the payment provider. */
export type PaymentEvent =
  | { readonly kind: 'paid'; readonly paymentId: string; readonly paidCents: number }
  | { readonly kind: 'closed'; readonly paymentId: string }
  /** `refundedCents` in all so far. */
  | { readonly kind: 'refunded'; readonly paymentId: string; readonly refundedCents: number }
  /** A dispute: the payer's bank asks for the money back, or has decided. */
  | { readonly kind: 'disputed'; readonly paymentId: string; readonly dispute: PaymentDispute; readonly cents: number };

/** The port of the payment provider. Only payments that it confirms count as paid. */
export interface PaymentProvider {
  readonly id: PaymentProviderId;
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
   * @throws EarshotError unauthorized when the signature is wrong or too old; not_found when the provider sends no
   * events; internal_error when the provider has to be asked and cannot be reached
   */
  readEvent(body: Buffer, signature: string | null): Promise<PaymentEvent | null>;
  /** Refunds `cents`; `totalCents` is the sum of all refunds. Does nothing where refunds are made by hand. */
  refund(payment: Payment, cents: number, totalCents: number): Promise<void>;
}

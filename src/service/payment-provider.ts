import type { Payment, PaymentProviderId } from './payment-store.ts';

/** What a provider says has become of a payment. */
export type PaymentEvent =
  | { readonly kind: 'paid'; readonly paymentId: string; readonly paidCents: number }
  | { readonly kind: 'closed'; readonly paymentId: string }
  /** `refundedCents` in all so far. */
  | { readonly kind: 'refunded'; readonly paymentId: string; readonly refundedCents: number };

/** The port to whoever takes the money. Only what it confirms counts as paid. */
export interface PaymentProvider {
  readonly id: PaymentProviderId;
  /** Where its checkout may lead a browser, for the page's policy; null: nowhere. */
  readonly checkoutOrigin: string | null;
  /**
   * Begins a checkout.
   * @returns where the person goes on, and the provider's own name of it; null: there is none
   * @throws EarshotError internal_error when the provider cannot be reached or refuses
   */
  begin(order: {
    readonly paymentId: string;
    readonly amountCents: number;
    /** For the person, on the checkout and on the bill. */
    readonly title: string;
    readonly returnUrl: string;
    readonly cancelUrl: string;
  }): Promise<{ readonly reference: string | null; readonly url: string | null }>;
  /**
   * An event as it was sent, signed.
   * @returns null: it says nothing about our payments
   * @throws EarshotError unauthorized when the signature is not the provider's; not_found where nobody sends events
   */
  readEvent(body: Buffer, signature: string | null): PaymentEvent | null;
  /** Sends money back, `totalCents` in all so far. Where that is done by hand: nothing. */
  refund(payment: Payment, cents: number, totalCents: number): Promise<void>;
}

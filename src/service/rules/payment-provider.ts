import type { Payment, PaymentDispute, PaymentProviderId } from './payment-store.ts';

/** What a provider says has become of a payment. */
export type PaymentEvent =
  | { readonly kind: 'paid'; readonly paymentId: string; readonly paidCents: number }
  | { readonly kind: 'closed'; readonly paymentId: string }
  /** `refundedCents` in all so far. */
  | { readonly kind: 'refunded'; readonly paymentId: string; readonly refundedCents: number }
  /** The payer's bank asks for the money back, or has decided. */
  | { readonly kind: 'disputed'; readonly paymentId: string; readonly dispute: PaymentDispute; readonly cents: number };

/** The port to whoever takes the money. Only what it confirms counts as paid. */
export interface PaymentProvider {
  readonly id: PaymentProviderId;
  /** Where its checkout may lead a browser, for the page's policy; null: nowhere. */
  readonly checkoutOrigin: string | null;
  /** How long a checkout stays open, in seconds; null: until the operator confirms it or the files go. */
  readonly checkoutSeconds: number | null;
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
   * Where the person goes on with a payment that is open.
   * @returns url null: nowhere of the provider's, it only has to be confirmed; null: its checkout has ended
   * @throws EarshotError internal_error when the provider cannot be reached or refuses
   */
  goOn(payment: Payment): Promise<{ readonly url: string | null } | null>;
  /**
   * An event as it was sent, signed.
   * @returns null: it says nothing about our payments
   * @throws EarshotError unauthorized when the signature is not the provider's, or too old by our clock; not_found where
   * nobody sends events; internal_error when the provider has to be asked and cannot be reached
   */
  readEvent(body: Buffer, signature: string | null): Promise<PaymentEvent | null>;
  /** Sends money back, `totalCents` in all so far. Where that is done by hand: nothing. */
  refund(payment: Payment, cents: number, totalCents: number): Promise<void>;
}

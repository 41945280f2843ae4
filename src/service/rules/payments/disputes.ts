import type { DisputeNews, Payment, PaymentDispute, StoredDispute } from '../money/payment-store.ts';

/** What the payer's bank holds or has: US cents of open and lost disputes. */
export const disputedCents = (disputes: readonly Pick<StoredDispute, 'status' | 'cents'>[]): number =>
  disputes.reduce((sum, { status, cents }) => sum + (status === 'won' ? 0 : cents), 0);

/**
 * Credits that an account owes back for a payment, 1 for each US cent: what was refunded and is disputed, but never
 * more than was paid. It depends on the facts alone, and not on the order in which they came.
 */
export const owedCredits = (
  { paidCents, refundedCents }: Pick<Payment, 'paidCents' | 'refundedCents'>,
  disputes: readonly Pick<StoredDispute, 'status' | 'cents'>[],
): number => Math.min(paidCents, refundedCents + disputedCents(disputes));

/** Disputes of a payment in one word; null: none. */
export function together(disputes: readonly Pick<StoredDispute, 'status'>[]): PaymentDispute | null {
  const all = new Set(disputes.map(({ status }) => status));
  return all.has('open') ? 'open' : all.has('lost') ? 'lost' : all.has('won') ? 'won' : null;
}

/**
 * The dispute that the news is about; undefined: a new one. A dispute recorded by an earlier version has the payment's
 * id: the news is about it if that dispute was opened before it was recorded so, and does not end in another way.
 */
export function disputeOf<Known extends StoredDispute>(
  disputes: readonly Known[],
  paymentId: string,
  { id, status, openedAt }: DisputeNews,
): Known | undefined {
  return (
    disputes.find((known) => known.id === id) ??
    disputes.find(
      (known) =>
        known.id === paymentId &&
        openedAt <= known.createdAt &&
        (known.status === 'open' || status === 'open' || known.status === status),
    )
  );
}

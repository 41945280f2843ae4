import type { Page, PageRequest } from '../shared/page.ts';

/** The ledger of credits, which are whole numbers: 1 credit = 1 US cent. Entries are added and never changed. */
export interface Ledger {
  /**
   * Posts an entry without a job.
   * @throws EarshotError insufficient_balance when the balance would fall below the reserved credits; not_found
   */
  post(entry: {
    readonly accountId: string;
    readonly kind: 'grant' | 'purchase' | 'adjustment';
    readonly credits: number;
    readonly note: string | null;
  }): Promise<LedgerEntry>;
  /** Newest first. `onlyCredits`: without reserve and release, which do not change the balance. */
  list(accountId: string, page: PageRequest, onlyCredits: boolean): Promise<Page<LedgerEntry>>;
  /** The purchase of a payment, and what its refunds and disputes moved; oldest first. */
  ofPayment(accountId: string, paymentId: string): Promise<readonly LedgerEntry[]>;
}

/**
 * Kinds of ledger entries. The sum of `credits` over an account's entries is its balance, the sum of `reserved` its
 * reserved credits: grant and purchase +credits, adjustment either way, reserve +reserved, release -reserved, charge
 * -credits and -reserved.
 */
export type LedgerKind = 'grant' | 'purchase' | 'adjustment' | 'reserve' | 'release' | 'charge';

/** An entry of the ledger, which is append-only. */
export interface LedgerEntry {
  /** Public id of the entry, unique: "led_...". */
  readonly id: string;
  /** The entry's account. */
  readonly accountId: string;
  readonly kind: LedgerKind;
  /** Signed change of the balance; 0 for reserve and release. */
  readonly credits: number;
  /** Signed change of the reserved credits; 0 without a job. */
  readonly reserved: number;
  /** Credits owned after this entry, at least 0. */
  readonly balance: number;
  /** The entry's job; null for grant, purchase and adjustment. */
  readonly jobId: string | null;
  /** The payment that it comes from: a purchase, a refund or a dispute; null for other entries. */
  readonly paymentId: string | null;
  /** The dispute of that payment, by the provider's id; the payment's own id where that is not known. null: none. */
  readonly disputeId: string | null;
  /** The operator's remark; null without one. */
  readonly note: string | null;
  readonly createdAt: Date;
}

/** Read-only in the API; set on the website and by the operator's commands. */
export interface AutoRefill {
  /** Is it switched on? Default: off. */
  readonly enabled: boolean;
  /** Refill below this available balance: whole US cents, at least 0; null: not set. */
  readonly thresholdCents: number | null;
  /** Amount of one refill: whole US cents, at least 0; null: not set. */
  readonly amountCents: number | null;
  /** Most that is added in one month: whole US cents, at least 0; null: not set. */
  readonly monthlyCapCents: number | null;
  /** The card to charge; null: not known. */
  readonly card: {
    /** For example "visa". */
    readonly brand: string;
    /** The last four digits. */
    readonly last4: string;
    /** The provider's id of the customer; absent when the operator entered the card, which then cannot be charged. */
    readonly customer?: string;
    /** The provider's id of the card; absent as above. */
    readonly method?: string;
  } | null;
  /** Why the last refill failed, until the settings change; null or absent when it did not. */
  readonly failure?: RefillFailure | null;
}

/** A failed refill. No further one is tried until the user has acted. */
export interface RefillFailure {
  /** 'confirm': the bank requires the user to confirm the payment. */
  readonly cause: 'declined' | 'expired' | 'confirm';
  /** The failed payment. */
  readonly paymentId: string;
  /** ISO 8601 time. */
  readonly at: string;
}

import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { RefillFailure } from './auto-refill.ts';

/** The store of payments. Confirming one moves the credits and starts the job in one transaction. */

export type PaymentProviderId = 'operator' | 'stripe';

/** 'closed': the checkout ended without a payment. A later confirmation still counts. */
export type PaymentStatus = 'open' | 'paid' | 'refunded' | 'closed';

/**
 * The effect of a confirmed payment: it started the job that finishes a run, or it only bought credits (it was for
 * credits, the run's files had gone, too little was paid, or the run was already finished).
 */
export type PaymentOutcome = 'job_started' | 'credits' | 'file_gone' | 'too_little' | 'already_finished';

/** A payment, open or made. null: not known yet, or does not apply. */
export interface Payment {
  /** Made by the service, unique: "pay_...". */
  readonly id: string;
  readonly provider: PaymentProviderId;
  /** The provider's own id of it; null: none (yet). */
  readonly reference: string | null;
  /** The run that it finishes; null: it only buys credits. */
  readonly freeRunId: string | null;
  /** The account that gets the credits; null until a visitor has paid. */
  readonly accountId: string | null;
  /** Of the run; null without one. */
  readonly tool: ToolId | null;
  /** The amount requested: US cents, at least 1. */
  readonly amountCents: number;
  /** The amount confirmed: US cents; 0 before. */
  readonly paidCents: number;
  /** Refunded so far: US cents, at least 0. */
  readonly refundedCents: number;
  readonly status: PaymentStatus;
  readonly outcome: PaymentOutcome | null;
  /** The job that it started. */
  readonly jobId: string | null;
  /** Disputes by the payer's bank together: 'open' if one is open, else 'lost' if one is lost; null: none. */
  readonly dispute: PaymentDispute | null;
  /** Was it made by auto-refill? */
  readonly automatic: boolean;
  /** The provider's code for the failure of an automatic payment; null when it did not fail. */
  readonly failure: string | null;
  /** Credits taken from the account because of disputes; 0 without one. */
  readonly frozenCredits: number;
  readonly createdAt: Date;
  readonly paidAt: Date | null;
}

/** 'open': the bank decides. 'won': the money stays here and the credits are returned. 'lost': the money is gone. */
export type PaymentDispute = 'open' | 'won' | 'lost';

/** A dispute as the provider tells of it. */
export interface DisputeNews {
  /** The provider's own id, unique. */
  readonly id: string;
  readonly status: PaymentDispute;
  /** That the bank asks for, US cents, at least 1. */
  readonly cents: number;
  readonly openedAt: Date;
}

/** A dispute as it is kept. */
export interface StoredDispute extends Omit<DisputeNews, 'openedAt'> {
  /** When it was first heard of. */
  readonly createdAt: Date;
  /** When its end was heard of; null: open. */
  readonly decidedAt: Date | null;
}

/** A payment that auto-refill begins. */
export interface RefillOrder {
  /** Made by the service, unique: "pay_...". */
  readonly id: string;
  readonly provider: PaymentProviderId;
  readonly createdAt: Date;
}

/** A new payment, not yet sent to the provider. */
export type NewPayment = Pick<
  Payment,
  'id' | 'provider' | 'freeRunId' | 'accountId' | 'tool' | 'amountCents' | 'createdAt'
>;

/** Payments and their effects on accounts and jobs. */
export interface PaymentStore {
  /**
   * Creates an open payment.
   * @param keep the files that it pays for, kept until the payment ends; null: it only buys credits
   * @throws EarshotError file_expired when the files expire before the payment could be made
   */
  create(payment: NewPayment, keep: KeptFiles | null): Promise<Payment>;
  /** null when there is none. */
  get(id: string): Promise<Payment | null>;
  /** Stores the provider's own id of an open payment. */
  refer(id: string, reference: string): Promise<void>;
  /**
   * Newest first. `accountId` null: all payments of all accounts; otherwise those of the account that were paid, failed
   * as a refill, or wait for the operator: no abandoned checkouts.
   */
  list(page: PageRequest, accountId?: string | null): Promise<Page<Payment>>;
  /**
   * Begins an automatic payment if one is due: auto-refill is on, has a card and no failure, the available credits are
   * below its threshold, the month's cap leaves room, and no other one is open. null when none is due.
   */
  beginRefill(accountId: string, order: RefillOrder): Promise<Payment | null>;
  /** Accounts whose available credits are below their threshold, and that have a card and no failure. */
  refillable(): Promise<readonly string[]>;
  /** Automatic payments that are still open, older than `before`: their process died. */
  openRefills(before: Date): Promise<readonly Payment[]>;
  /**
   * The automatic payment failed: closes it, and stops auto-refill until the settings change. false: it was closed
   * already
   */
  failRefill(id: string, failure: RefillFailure, code: string): Promise<boolean>;
  /** Cents of the account's automatic payments since then that were not declined. */
  refilledSince(accountId: string, since: Date): Promise<number>;
  /**
   * Confirms the payment. Idempotent: a repeated call returns the result of the first. Credits the account (a new one
   * for a visitor), then starts the job that finishes the run, if its files still exist and it is not finished yet.
   * @throws EarshotError not_found
   */
  confirm(
    id: string,
    paidCents: number,
    order: {
      readonly at: Date;
      /** The id of the account for a visitor without one. */
      readonly accountId: string;
      readonly accountName: string;
      readonly jobId: string;
      /** Until when the files and their outputs are kept. */
      readonly keepUntil: Date;
    },
  ): Promise<{ readonly payment: Payment; readonly first: boolean }>;
  /** The checkout ended without a payment. Does nothing to a confirmed payment. */
  close(id: string): Promise<void>;
  /**
   * Records refunds of `refundedCents` in total. Takes as many credits from the account as are available. Before the
   * payment is confirmed, the refund is only recorded. Idempotent.
   * @throws EarshotError not_found
   */
  refund(id: string, refundedCents: number): Promise<Payment>;
  /**
   * Records a dispute. 'open' freezes as many of the payment's credits as are available; 'won' returns them, less what
   * was refunded meanwhile or is still disputed; 'lost' keeps them. Before the payment is confirmed, the dispute is
   * only recorded. Idempotent; does nothing once this dispute is decided.
   * @throws EarshotError not_found
   */
  dispute(id: string, news: DisputeNews): Promise<{ readonly payment: Payment; readonly changed: boolean }>;
  /** Payments by status, for metrics; disputed ones are counted only as disputed. */
  counts(): Promise<Readonly<Record<PaymentStatus | 'disputed', number>>>;
}

/** The files of a run for which a payment begins. */
export interface KeptFiles {
  /** Its status and finish links work as long as the files are kept. */
  readonly runId: string;
  /** At least one. */
  readonly fileIds: readonly string[];
  /** They are kept until then, but at most `longestSeconds` after their creation. */
  readonly until: Date;
  readonly longestSeconds: number;
  /** Files that expire earlier cannot be paid for. */
  readonly atLeast: Date;
}

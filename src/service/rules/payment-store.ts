import type { ToolId } from '../../library/contract/tool-ids.ts';
import type { Page, PageRequest } from './page.ts';

/** The port to where payments are remembered. Confirming one moves the credits and starts the job, all or nothing. */

export type PaymentProviderId = 'operator' | 'stripe';

/** 'closed': the checkout ended without a payment; one that is confirmed later counts all the same. */
export type PaymentStatus = 'open' | 'paid' | 'refunded' | 'closed';

/**
 * What a confirmed payment did: it started the job that finishes a run, or it only bought credits: because that is what
 * it was for, because the run's files had gone, because too little was paid, or because the run was finished already.
 */
export type PaymentOutcome = 'job_started' | 'credits' | 'file_gone' | 'too_little' | 'already_finished';

/** What a person paid, or was about to. null stands for what is not known yet or does not apply. */
export interface Payment {
  /** Made by the service, unique: "pay_...". */
  readonly id: string;
  readonly provider: PaymentProviderId;
  /** The provider's own name of it; null: it has none (yet). */
  readonly reference: string | null;
  /** The run that it finishes; null: it only buys credits. */
  readonly freeRunId: string | null;
  /** Who gets the credits; null until a visitor has paid. */
  readonly accountId: string | null;
  /** Of the run; null without one. */
  readonly tool: ToolId | null;
  /** What was asked for: US cents, at least 1. */
  readonly amountCents: number;
  /** What was confirmed; 0 before. */
  readonly paidCents: number;
  /** What went back so far: US cents, at least 0. */
  readonly refundedCents: number;
  readonly status: PaymentStatus;
  readonly outcome: PaymentOutcome | null;
  /** The job that it started. */
  readonly jobId: string | null;
  /** Has the payer's bank asked for the money back, and how did that end? null: it has not asked. */
  readonly dispute: PaymentDispute | null;
  /** Credits that were taken from the account while the bank decides, or for good; 0 without a dispute. */
  readonly frozenCredits: number;
  readonly createdAt: Date;
  readonly paidAt: Date | null;
}

/** 'open': the bank decides. 'won': the money stays here; its credits are given back. 'lost': it has gone. */
export type PaymentDispute = 'open' | 'won' | 'lost';

/** A payment at its creation, before the provider knows of it. */
export type NewPayment = Pick<
  Payment,
  'id' | 'provider' | 'freeRunId' | 'accountId' | 'tool' | 'amountCents' | 'createdAt'
>;

/** Payments, and what each of them did to accounts and jobs. */
export interface PaymentStore {
  /**
   * An open payment, before anybody has paid.
   * @param keep what it is to pay for, kept until the payment ends; null: it only buys credits
   * @throws EarshotError file_expired when the files go before a payment could be made
   */
  create(payment: NewPayment, keep: KeptFiles | null): Promise<Payment>;
  /** null when there is none. */
  get(id: string): Promise<Payment | null>;
  /** Remembers the provider's own name of an open payment. */
  refer(id: string, reference: string): Promise<void>;
  /** What was paid or begun for a run, oldest first. */
  forRun(freeRunId: string): Promise<readonly Payment[]>;
  /** All payments, newest first. */
  list(page: PageRequest): Promise<Page<Payment>>;
  /**
   * The payment was made. Once: a repeated confirmation answers what the first one did. Credits the account (a new one
   * for a visitor), then starts the job that finishes the run, if its files are there and nothing else has.
   * @throws EarshotError not_found
   */
  confirm(
    id: string,
    paidCents: number,
    order: {
      readonly at: Date;
      /** For a visitor who has none. */
      readonly accountId: string;
      readonly accountName: string;
      readonly jobId: string;
      /** Until when the files and what comes of them are kept. */
      readonly keepUntil: Date;
    },
  ): Promise<{ readonly payment: Payment; readonly first: boolean }>;
  /** The checkout ended without a payment; a payment that was made stays made. */
  close(id: string): Promise<void>;
  /**
   * Money went back, `refundedCents` of it in all so far. Takes as many credits from the account as it has to spare;
   * of a payment that is not confirmed yet it is only remembered. Repeated: nothing.
   * @throws EarshotError not_found
   */
  refund(id: string, refundedCents: number): Promise<Payment>;
  /**
   * The payer's bank asks for the money back, or has decided. 'open' freezes as many of the payment's credits as the
   * account has to spare; 'won' gives them back, less what was refunded meanwhile; 'lost' keeps them. Of a payment that
   * is not confirmed yet it is only remembered. Repeated, or once decided: nothing.
   * @param cents that the bank asks for, at least 1
   * @throws EarshotError not_found
   */
  dispute(id: string, dispute: PaymentDispute, cents: number): Promise<Payment>;
  /** Payments by status, for metrics; those that a bank asks back are counted as such alone. */
  counts(): Promise<Readonly<Record<PaymentStatus | 'disputed', number>>>;
}

/** The files of a run that somebody begins to pay for. */
export interface KeptFiles {
  /** Its status and finish links live as long as the files. */
  readonly runId: string;
  /** At least one. */
  readonly fileIds: readonly string[];
  /** They are kept until then, but no file longer than `longestSeconds` after its creation. */
  readonly until: Date;
  readonly longestSeconds: number;
  /** Files that go before then cannot be paid for. */
  readonly atLeast: Date;
}

import type { Account } from '../accounts/account.ts';
import type { StillLeads } from '../fleet/leadership.ts';
import type { FreeRun } from '../free-runs/free-run-store.ts';
import type { FreeRunView } from '../free-runs/free-run-use-cases.ts';
import type { Payment } from '../money/payment-store.ts';
import type { PageRequest, Page } from '../shared/page.ts';

/** Settings of auto-refill, in whole US cents. */
export interface RefillWish {
  readonly thresholdCents: number;
  readonly amountCents: number;
  readonly monthlyCapCents: number;
}

/** Buys credits when few are left. */
export interface Refills {
  /** Can the service save cards? */
  readonly possible: boolean;
  /** Cents that auto-refill has bought, or is buying, since the month (UTC) began. */
  spentThisMonth(account: Account): Promise<number>;
  /** Sets and switches it on; clears an earlier failure. @throws EarshotError bad_request, forbidden */
  save(account: Account, wish: RefillWish): Promise<void>;
  /** Switches it off. The card is kept. */
  turnOff(account: Account): Promise<void>;
  /**
   * The provider's page to save a card at.
   * @param press random token of the page's form
   * @throws EarshotError forbidden, internal_error
   */
  saveCard(account: Account, press: string): Promise<string>;
  /** Deletes the card, which switches auto-refill off. */
  forgetCard(account: Account): Promise<void>;
  /** Tries again after a failure. */
  retry(account: Account): Promise<void>;
  /** Charges the card if the account is below its threshold now. Never throws: what fails is tried again. */
  check(accountId: string): Promise<void>;
  /** The same for all accounts, and for charges whose process died. Call regularly. */
  sweep(stillLeads?: StillLeads): Promise<void>;
}

/** A payment as its receipt page shows it. */
export interface Receipt {
  readonly payment: Payment;
  /** The account that has the credits; null until it is paid. */
  readonly account: Account | null;
  /** null: the payment was for credits, or the run's links have expired. */
  readonly run: FreeRun | null;
  /** May an API key be created for the account? Only if it never had one. */
  readonly mayMakeKey: boolean;
}

/** Payments for the rest of a file, or for credits. 1 credit = 1 US cent. */
export interface Payments {
  /** Origin of the provider's checkout page; null: none. */
  readonly checkoutOrigin: string | null;
  /** The current state of a payment. @throws EarshotError not_found */
  get(id: string): Promise<Payment>;
  /**
   * This browser's own payment for a run.
   * @param receipt the receipt token in the browser's cookie; null: none
   * @returns null: none; other browsers may have paid
   */
  ofBrowser(run: FreeRun, receipt: string | null): Promise<Payment | null>;
  /** The link to the payment's receipt page. */
  receiptUrl(payment: Payment): string;
  /**
   * Begins a payment for the whole of a run's files, which are kept until it ends.
   * @param mine the payment that this browser has already begun, to continue; null: none
   * @returns the payment and the page to go to
   * @throws EarshotError conflict when there is nothing to pay; file_expired when the files expire before a payment
   * could be made; forbidden where payments are switched off
   */
  payForRun(view: FreeRunView, mine: Payment | null): Promise<{ readonly payment: Payment; readonly url: string }>;
  /** The page to buy credits for the account; null where payments are switched off. */
  buyUrl(accountId: string): string | null;
  /** The account of a link from `buyUrl`. @throws EarshotError not_found */
  buyer(token: string): Promise<Account>;
  /** Begins a payment for credits. @throws EarshotError bad_request, forbidden, not_found */
  payForCredits(token: string, cents: number): Promise<{ readonly payment: Payment; readonly url: string }>;
  /**
   * Handles an event of the provider. Idempotent, in any order.
   * @returns a payment whose dispute changed, for the operator's log; otherwise null
   * @throws EarshotError unauthorized
   */
  onEvent(body: Buffer, signature: string | null): Promise<Payment | null>;
  /** Confirms a payment. Idempotent: a repeated call returns the result of the first. */
  confirm(id: string, paidCents: number): Promise<Payment>;
  /**
   * Refunds money and takes back its credits.
   * @param cents null: the whole rest
   * @throws EarshotError bad_request, insufficient_balance when the credits are spent or reserved
   */
  refund(id: string, cents: number | null): Promise<Payment>;
  /** All payments, newest first. */
  list(page: PageRequest): Promise<Page<Payment>>;
  /** Does the service sell credits? */
  readonly possible: boolean;
  /**
   * Begins a payment for credits of a signed-in account.
   * @returns the payment and the page to go to: the provider's, or the receipt's page of the website
   * @throws EarshotError bad_request, forbidden
   */
  payForAccount(account: Account, cents: number): Promise<{ readonly payment: Payment; readonly url: string }>;
  /**
   * The provider's page of an open payment: url null where it is being confirmed; null: it has ended, and is closed.
   */
  goOn(payment: Payment): Promise<{ readonly url: string | null } | null>;
  /** The account's payments without abandoned checkouts, newest first. */
  listOf(account: Account, page: PageRequest): Promise<Page<Payment>>;
  /** A payment, if it is the account's. @throws EarshotError not_found */
  ofAccount(account: Account, id: string): Promise<Payment>;
  readonly refills: Refills;
  /** The receipt of a link. @throws EarshotError not_found */
  receipt(token: string): Promise<Receipt>;
  /**
   * Creates the first API key of the account that a payment created, and returns its secret. Only one key is created,
   * also under concurrent calls.
   * @param press random token of the page's form: the same press returns the same key. null: none
   * @throws EarshotError conflict
   */
  makeKey(token: string, press: string | null): Promise<string>;
}

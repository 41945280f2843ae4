import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { FreeOffer } from '../tools/tool-facts.ts';
import type { AccountUsage } from './quotas.ts';

/** Free uses that were taken. */
export interface FreeUses {
  /** Uses taken today, by tool. */
  taken(subject: FreeSubject): Promise<Readonly<Partial<Record<ToolId, number>>>>;
}

/** The owner of a free allowance: an account, or a visitor's address (its keyed hash). */
export interface FreeSubject {
  /** The account's id, or the keyed hash of the address. */
  readonly id: string;
  /** UTC day, "2026-11-21". */
  readonly day: string;
}

/** The balances that the terms of a job depend on, read under the account's lock. */
export interface Funds {
  /** balance - reserved; 0 without an account. */
  readonly availableCredits: number;
  /** Free uses of the tool that the subject has taken today. */
  readonly freeUsesTaken: number;
  /** Seconds of all free runs of today. */
  readonly freeSecondsTaken: number;
  /** Of the account; absent without one. */
  readonly usage?: AccountUsage;
  /** Previews of passages that the account has ordered within a day; absent for other jobs. */
  readonly previewsTaken?: number;
}

/** The terms of a new job: decided by the rules, applied by the store in the same transaction. */
export interface Terms {
  /** Is it a free use? */
  readonly free: boolean;
  /** Only this much of the inputs is processed, from the start; null: all of it. */
  readonly windowSeconds: number | null;
  /** Credits to reserve; 0 when free. */
  readonly price: number;
  /** Seconds of the day's free budget that it takes. Default: 0. */
  readonly freeSeconds?: number;
}

/** The facts of a request that its price and its free use depend on. */
export interface TermsRequest {
  /** By which errors name it: a tool, or a chain. */
  readonly tool: string;
  /** The tool is never paid for. */
  readonly alwaysFree: boolean;
  /** undefined: paid when the balance covers it, otherwise free. */
  readonly free: boolean | undefined;
  readonly maxCredits: number | null;
  /** Credits for the whole length. */
  readonly price: number;
  readonly offer: FreeOffer;
  /** When the free uses of the day reset. */
  readonly resetsAt: Date;
  /** Length of the files in the tool's measure. */
  readonly lengthSeconds: number;
  /** Seconds that all free runs of a day may process together; null: no limit. */
  readonly budgetSeconds: number | null;
  /** A visitor has no account and cannot pay with credits. */
  readonly visitor: boolean;
  /** The page where the account buys credits; null: only the operator has some. */
  readonly buyUrl: () => string | null;
}

/**
 * Paid or free: the table "Keyed requests, paid or free choice" of the interface. Pure; called under the account's
 * lock.
 * @throws EarshotError insufficient_balance, over_spending_cap, free_limit_reached, free_budget_exhausted,
 * free_disabled
 */
export function decideTerms(request: TermsRequest, funds: Funds): Terms {
  const { free, price, offer, maxCredits } = request;
  const covered = funds.availableCredits >= price;
  if (free === true || request.alwaysFree || request.visitor) {
    if (!offer.enabled) throw freeDisabled(request, funds);
    if (usesLeft(offer, funds.freeUsesTaken) === 0) throw freeLimitReached(request, funds);
    if (!budgetCovers(request, funds)) throw freeBudgetExhausted(request, funds);
    return freeTerms(request);
  }
  // A free run costs nothing, so the cap does not apply.
  const canBeFree = hasFree(request, funds);
  if (free === undefined && !covered && canBeFree) return freeTerms(request);
  // The cap first: more credits would not help.
  if (maxCredits !== null && maxCredits < price) throw overSpendingCap(request, maxCredits, funds);
  if (!covered) throw insufficientBalance(request, funds);
  return { free: false, windowSeconds: null, price };
}

/**
 * A preview of a passage takes no free use and no credits. It takes CPU, so an account has a number of them within a
 * day.
 * @throws EarshotError free_disabled, free_limit_reached
 */
export function previewTerms(mostPreviews: number, { previewsTaken = 0 }: Funds): Terms {
  if (mostPreviews === 0) throw new EarshotError('free_disabled', 'Previews are switched off here');
  if (previewsTaken >= mostPreviews)
    throw new EarshotError(
      'free_limit_reached',
      `Expected at most ${mostPreviews} previews within a day but ${previewsTaken} were ordered`,
      {
        nextAction: 'Leave out preview_from to process the whole, or wait some hours.',
        details: { limit: mostPreviews, taken: previewsTaken },
      },
    );
  return { free: false, windowSeconds: null, price: 0 };
}

export function usesLeft(offer: FreeOffer, taken: number): number {
  return offer.enabled ? Math.max(0, offer.dailyUses - taken) : 0;
}

/** Seconds of the day's budget that a free run takes: the most that it may process. */
const freeSecondsOf = ({ offer, lengthSeconds }: TermsRequest): number =>
  Math.min(offer.seconds ?? lengthSeconds, lengthSeconds);

const budgetCovers = (request: TermsRequest, { freeSecondsTaken }: Funds): boolean =>
  request.budgetSeconds === null || freeSecondsTaken + freeSecondsOf(request) <= request.budgetSeconds;

/** Would free=true be accepted? Error messages suggest it only then. */
const hasFree = (request: TermsRequest, funds: Funds): boolean =>
  usesLeft(request.offer, funds.freeUsesTaken) > 0 && budgetCovers(request, funds);

/**
 * How an account gets the credits that it lacks. Every refusal that more credits would have prevented says so, so that
 * no interface has to.
 */
interface Shop {
  /** "get 9 credits more at https://..."; null: it has enough. */
  readonly advice: string | null;
  readonly details: { readonly missing?: number; readonly buyUrl?: string };
}

function shopFor({ price, visitor, alwaysFree, buyUrl }: Priced, { availableCredits }: Funds): Shop {
  const missing = price - availableCredits;
  if (alwaysFree || visitor || missing <= 0) return { advice: null, details: {} };
  const url = buyUrl();
  return {
    advice: `get ${credits(missing)} more ${url === null ? 'from the operator of this service' : `at ${url}`}`,
    details: { missing, ...(url === null ? {} : { buyUrl: url }) },
  };
}

type Priced = Pick<TermsRequest, 'price' | 'visitor' | 'alwaysFree' | 'buyUrl'>;

/** Advice for an account without a free use left: pay. */
function payingFor(request: Priced, shop: Shop): string | null {
  if (request.alwaysFree || request.visitor) return null;
  return shop.advice === null
    ? `run it paid for ${credits(request.price)} with free=false`
    : `${shop.advice} and run it paid`;
}

const freeTerms = (request: TermsRequest): Terms => ({
  free: true,
  windowSeconds: request.offer.seconds,
  price: 0,
  freeSeconds: freeSecondsOf(request),
});

/** The UTC day of free uses, "2026-11-21". */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 10);

export function nextUtcMidnight(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));
}

const credits = (count: number): string => `${count} ${count === 1 ? 'credit' : 'credits'}`;

const capitalised = (advice: string): string => `${advice.slice(0, 1).toUpperCase()}${advice.slice(1)}`;

function insufficientBalance(request: TermsRequest, funds: Funds): EarshotError {
  const { tool, price, offer, free } = request;
  const { availableCredits, freeUsesTaken } = funds;
  const shop = shopFor(request, funds);
  const freeUsesLeft = usesLeft(offer, freeUsesTaken);
  const orFree = free === false && hasFree(request, funds) ? ', or process the free part with free=true' : '';
  return new EarshotError(
    'insufficient_balance',
    `Expected ${credits(price)} for ${tool} but ${credits(availableCredits)} ` +
      `${availableCredits === 1 ? 'is' : 'are'} available`,
    {
      nextAction: `${capitalised(shop.advice ?? 'get more credits')}${orFree}.`,
      details: { tool, price, available: availableCredits, freeUsesLeft, ...shop.details },
    },
  );
}

function overSpendingCap(request: TermsRequest, maxCredits: number, funds: Funds): EarshotError {
  const { tool, price } = request;
  const shop = shopFor(request, funds);
  return new EarshotError(
    'over_spending_cap',
    `Expected ${tool} to cost at most ${credits(maxCredits)} (max_credits) but it costs ${price}`,
    {
      nextAction:
        `Raise max_credits to ${price}${shop.advice === null ? '' : ` and ${shop.advice}`}, ` +
        'or process a shorter file.',
      details: { tool, price, limit: maxCredits, ...shop.details },
    },
  );
}

function freeLimitReached(request: TermsRequest, funds: Funds): EarshotError {
  const { tool, visitor, price, offer, resetsAt } = request;
  const { availableCredits, freeUsesTaken } = funds;
  const shop = shopFor(request, funds);
  const other = visitor ? 'use an account' : payingFor(request, shop);
  return new EarshotError(
    'free_limit_reached',
    `Expected at most ${offer.dailyUses} free uses of ${tool} a day but ${freeUsesTaken} are taken; ` +
      `they reset at ${resetsAt.toISOString()}`,
    {
      nextAction: `Wait until ${resetsAt.toISOString()}${other === null ? '' : `, or ${other}`}.`,
      details: {
        tool,
        limit: offer.dailyUses,
        taken: freeUsesTaken,
        resetsAt: resetsAt.toISOString(),
        price,
        ...(visitor ? {} : { available: availableCredits }),
        ...shop.details,
      },
    },
  );
}

/** The same, where the visitor also has too many files that wait for a payment. */
export const fullOfWaiting = ({ code, message, details }: EarshotError, waiting: number): EarshotError =>
  new EarshotError(code, `${message}. ${waiting} files already wait for a payment`, {
    nextAction: `Wait until ${String(details?.['resetsAt'])}, ${insteadOfWaiting}.`,
    ...(details === undefined ? {} : { details }),
  });

const insteadOfWaiting = 'pay for one of the files that wait, or use an account with an API key';

/**
 * The same before the file has arrived: its price is not known yet, and no other file may wait for a payment.
 * @param waiting number of the visitor's files that wait for a payment; null: files cannot wait here
 */
export function nothingLeft(
  { tool, offer, resetsAt }: Pick<TermsRequest, 'tool' | 'offer' | 'resetsAt'>,
  taken: number,
  waiting: number | null,
): EarshotError {
  return new EarshotError(
    'free_limit_reached',
    `Expected at most ${offer.dailyUses} free uses of ${tool} a day but ${taken} are taken; they reset at ` +
      `${resetsAt.toISOString()}${waiting === null ? '' : `. ${waiting} files already wait for a payment`}`,
    {
      nextAction:
        `Wait until ${resetsAt.toISOString()}, ` + (waiting === null ? 'or use an account.' : `${insteadOfWaiting}.`),
      details: { tool, limit: offer.dailyUses, taken, resetsAt: resetsAt.toISOString() },
    },
  );
}

function freeBudgetExhausted(request: TermsRequest, funds: Funds): EarshotError {
  const { tool, price, resetsAt, budgetSeconds } = request;
  const { freeSecondsTaken } = funds;
  const shop = shopFor(request, funds);
  const other = payingFor(request, shop);
  return new EarshotError(
    'free_budget_exhausted',
    `Expected room in the service's free seconds of today but ${Math.floor(freeSecondsTaken)} of ` +
      `${budgetSeconds} s are taken; they come back at ${resetsAt.toISOString()}`,
    {
      nextAction: `Wait until ${resetsAt.toISOString()}${other === null ? '' : `, or ${other}`}.`,
      details: { tool, limitSeconds: budgetSeconds, resetsAt: resetsAt.toISOString(), price, ...shop.details },
    },
  );
}

function freeDisabled(request: TermsRequest, funds: Funds): EarshotError {
  const { tool, price } = request;
  const shop = shopFor(request, funds);
  const other = payingFor(request, shop);
  return new EarshotError(
    'free_disabled',
    `Free runs of ${tool} are switched off here${request.alwaysFree ? '' : `; the whole file costs ${credits(price)}`}`,
    {
      ...(other === null ? {} : { nextAction: `${capitalised(other)}.` }),
      details: { tool, price, ...shop.details },
    },
  );
}

/** The same before the file has arrived: the price of its length is not known yet, the one of a minute is. */
export const freeNeverHere = (tool: ToolId, creditsPerMinute: number): EarshotError =>
  new EarshotError(
    'free_disabled',
    `Free runs of ${tool} are switched off here` +
      (creditsPerMinute === 0 ? '' : `; with an account a minute costs ${credits(creditsPerMinute)}`),
    { details: { tool, creditsPerMinute } },
  );

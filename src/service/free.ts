import { EarshotError } from '../core/errors.ts';
import type { ToolId } from '../contract/tool-ids.ts';
import type { Funds, Terms } from './ports.ts';
import type { FreeOffer } from './tool-facts.ts';

/** What a request asks for, as far as money is concerned. */
export interface TermsRequest {
  readonly tool: ToolId;
  /** By its declaration: never paid. */
  readonly alwaysFree: boolean;
  /** undefined: paid when the balance covers it, otherwise free. */
  readonly free: boolean | undefined;
  readonly maxCredits: number | null;
  /** Credits for all of it. */
  readonly price: number;
  readonly offer: FreeOffer;
  /** When today's free uses come back. */
  readonly resetsAt: Date;
}

/**
 * Paid or free: the table "Keyed requests, paid or free choice" of the interface. Pure; called under the account's
 * lock.
 * @throws EarshotError insufficient_balance, over_spending_cap, free_limit_reached, free_disabled
 */
export function decideTerms(request: TermsRequest, funds: Funds): Terms {
  const { free, price, offer, maxCredits } = request;
  const covered = funds.availableCredits >= price;
  if (free === true || request.alwaysFree) {
    if (!offer.enabled) throw freeDisabled(request);
    if (usesLeft(offer, funds.freeUsesTaken) === 0) throw freeLimitReached(request, funds);
    return freeTerms(offer);
  }
  // A free run costs nothing, so a cap below the price does not stand in its way.
  if (free === undefined && !covered && offer.enabled && usesLeft(offer, funds.freeUsesTaken) > 0)
    return freeTerms(offer);
  // The cap first: it depends on the request alone, and more credits would not help.
  if (maxCredits !== null && maxCredits < price) throw overSpendingCap(request, maxCredits);
  if (!covered) throw insufficientBalance(request, funds);
  return { free: false, windowSeconds: null, price };
}

export function usesLeft(offer: FreeOffer, taken: number): number {
  return offer.enabled ? Math.max(0, offer.dailyUses - taken) : 0;
}

const freeTerms = ({ seconds }: FreeOffer): Terms => ({ free: true, windowSeconds: seconds, price: 0 });

/** The UTC day that free uses count for, "2026-11-21". */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 10);

export function nextUtcMidnight(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));
}

const credits = (count: number): string => `${count} ${count === 1 ? 'credit' : 'credits'}`;

function insufficientBalance(
  { tool, price, offer, free }: TermsRequest,
  { availableCredits, freeUsesTaken }: Funds,
): EarshotError {
  const missing = price - availableCredits;
  const freeUsesLeft = usesLeft(offer, freeUsesTaken);
  const orFree = free === false && freeUsesLeft > 0 ? ', or process the free part with free=true' : '';
  return new EarshotError(
    'insufficient_balance',
    `Expected ${credits(price)} for ${tool} but ${credits(availableCredits)} ` +
      `${availableCredits === 1 ? 'is' : 'are'} available`,
    {
      nextAction: `Get ${credits(missing)} more from the operator of this service${orFree}.`,
      details: { tool, price, available: availableCredits, missing, freeUsesLeft },
    },
  );
}

function overSpendingCap({ tool, price }: TermsRequest, maxCredits: number): EarshotError {
  return new EarshotError(
    'over_spending_cap',
    `Expected ${tool} to cost at most ${credits(maxCredits)} (max_credits) but it costs ${price}`,
    { details: { tool, price, limit: maxCredits } },
  );
}

function freeLimitReached(
  { tool, alwaysFree, price, offer, resetsAt }: TermsRequest,
  { availableCredits, freeUsesTaken }: Funds,
): EarshotError {
  const paid = alwaysFree ? '' : `, or run it paid for ${credits(price)} with free=false`;
  return new EarshotError(
    'free_limit_reached',
    `Expected at most ${offer.dailyUses} free uses of ${tool} a day but ${freeUsesTaken} are taken; ` +
      `they come back at ${resetsAt.toISOString()}`,
    {
      nextAction: `Wait until ${resetsAt.toISOString()}${paid}.`,
      details: {
        tool,
        limit: offer.dailyUses,
        taken: freeUsesTaken,
        resetsAt: resetsAt.toISOString(),
        price,
        available: availableCredits,
      },
    },
  );
}

function freeDisabled({ tool, alwaysFree, price }: TermsRequest): EarshotError {
  const paid = alwaysFree ? {} : { nextAction: `Run it paid, for ${credits(price)}, with free=false.` };
  return new EarshotError('free_disabled', `Free runs of ${tool} are switched off here`, {
    ...paid,
    details: { tool, price },
  });
}

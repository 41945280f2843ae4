import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { toolIds, type ToolId } from '../../../src/library/contract/tool-ids.ts';
import {
  decideTerms,
  nextUtcMidnight,
  utcDay,
  type TermsRequest,
  type Funds,
  type Terms,
} from '../../../src/service/rules/accounts/free.ts';
import { billedLength, createPrices, priceOf, roundSeconds } from '../../../src/service/rules/tools/prices.ts';
import { indexTools } from '../../../src/service/rules/tools/tool-facts.ts';
import { fakeTools } from './tool-facts.ts';

const tools = indexTools(fakeTools());
const resetsAt = new Date('2026-11-22T00:00:00Z');

describe('prices', () => {
  it('is the smallest whole number of credits that covers the seconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20 * 36_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (seconds, perMinute) => {
          // The definition, in whole numbers of any size: 60 x credits >= seconds x perMinute > 60 x (credits - 1).
          const credits = BigInt(priceOf(seconds, perMinute));
          const due = BigInt(seconds) * BigInt(perMinute);
          expect(60n * credits >= due).toBe(true);
          if (due > 0n) expect(60n * (credits - 1n) < due).toBe(true);
          else expect(credits).toBe(1n);
        },
      ),
    );
  });

  it.each([
    [0, 1, 1],
    [1, 1, 1],
    [60, 1, 1],
    [61, 1, 2],
    [90, 2, 3],
    [3600, 3, 180],
    [36_000, 7, 4200],
    [3600, 0, 0],
  ])('%i s at %i credits a minute cost %i', (seconds, perMinute, credits) => {
    expect(priceOf(seconds, perMinute)).toBe(credits);
  });

  it('bills the main input, the sum or the longest, to the nearest second', () => {
    const lengths = [10.4, 30.2, 20.1];
    expect(roundSeconds(billedLength('main', lengths))).toBe(10);
    expect(roundSeconds(billedLength('sum', lengths))).toBe(61);
    expect(roundSeconds(billedLength('longest', lengths))).toBe(30);
    expect(roundSeconds(59.5)).toBe(60);
    expect(roundSeconds(60.499)).toBe(60);
  });

  it("takes the defaults, the operator's prices, and the lower one with a transcript", () => {
    const usual = createPrices(tools, {});
    expect(usual.creditsPerMinute('remove_fillers')).toBe(2);
    expect(usual.creditsPerMinute('remove_fillers', ['file_id', 'transcript_file_id'])).toBe(1);
    expect(usual.ofRun('remove_fillers', [600]).credits).toBe(20);
    const dear = createPrices(tools, { remove_fillers: 5, remove_noise: 3, cut_audio: 0 });
    expect(dear.creditsPerMinute('remove_fillers', ['transcript_file_id'])).toBe(3);
    expect(dear.forLength(119.6)).toMatchObject({ remove_noise: 6, cut_audio: 0, remove_fillers: 10, join_audio: 2 });
    expect(Object.keys(dear.forLength(1)).sort()).toEqual([...toolIds].sort());
  });
});

const request = (changes: Partial<TermsRequest> = {}): TermsRequest => ({
  tool: 'remove_noise',
  free: undefined,
  maxCredits: null,
  alwaysFree: false,
  price: 10,
  offer: { enabled: true, seconds: 60, dailyUses: 3 },
  resetsAt,
  lengthSeconds: 600,
  budgetSeconds: null,
  visitor: false,
  buyUrl: () => null,
  ...changes,
});
const paid: Terms = { free: false, windowSeconds: null, price: 10 };
const freePart: Terms = { free: true, windowSeconds: 60, price: 0, freeSeconds: 60 };

function outcome(asked: TermsRequest, funds: Funds): Terms | string {
  try {
    return decideTerms(asked, funds);
  } catch (thrown) {
    if (thrown instanceof EarshotError) return thrown.code;
    throw thrown;
  }
}

describe('paid or free', () => {
  const rich = { availableCredits: 10, freeUsesTaken: 0, freeSecondsTaken: 0 };
  const richUsedUp = { availableCredits: 10, freeUsesTaken: 3, freeSecondsTaken: 0 };
  const poor = { availableCredits: 9, freeUsesTaken: 2, freeSecondsTaken: 0 };
  const poorUsedUp = { availableCredits: 9, freeUsesTaken: 3, freeSecondsTaken: 0 };

  // The table of the interface, row by row.
  it.each<[string, boolean | undefined, Funds, Terms | string]>([
    ['omitted, covered', undefined, rich, paid],
    ['omitted, covered, quota used up', undefined, richUsedUp, paid],
    ['omitted, not covered, a use left', undefined, poor, freePart],
    ['omitted, not covered, quota used up', undefined, poorUsedUp, 'insufficient_balance'],
    ['true, covered', true, rich, freePart],
    ['true, covered, quota used up', true, richUsedUp, 'free_limit_reached'],
    ['true, not covered', true, poor, freePart],
    ['true, not covered, quota used up', true, poorUsedUp, 'free_limit_reached'],
    ['false, covered', false, rich, paid],
    ['false, covered, quota used up', false, richUsedUp, paid],
    ['false, not covered', false, poor, 'insufficient_balance'],
    ['false, not covered, quota used up', false, poorUsedUp, 'insufficient_balance'],
  ])('%s', (_name, free, funds, expected) => {
    expect(outcome(request({ free }), funds)).toEqual(expected);
  });

  it.each<[string, Partial<TermsRequest>, Funds, Terms | string]>([
    ['a cap below the price', { maxCredits: 9 }, rich, 'over_spending_cap'],
    ['a cap at the price', { maxCredits: 10 }, rich, paid],
    ['a cap does not forbid the free part', { maxCredits: 1 }, poor, freePart],
    ['a cap, not covered and used up', { maxCredits: 1 }, poorUsedUp, 'over_spending_cap'],
    ["the day's budget has room for the window", { free: true, budgetSeconds: 60 }, rich, freePart],
    [
      "the day's budget has no room",
      { free: true, budgetSeconds: 100 },
      { ...rich, freeSecondsTaken: 41 },
      'free_budget_exhausted',
    ],
    ["the day's budget has no room: omitted, not covered", { budgetSeconds: 59 }, poor, 'insufficient_balance'],
    ["the day's budget is of no concern to who pays", { budgetSeconds: 0 }, rich, paid],
    ['a visitor runs free', { visitor: true }, { ...poor, availableCredits: 0 }, freePart],
    ['a visitor never pays by credits', { visitor: true }, richUsedUp, 'free_limit_reached'],
    [
      'a short file takes no more of the budget than it has',
      { free: true, lengthSeconds: 20, budgetSeconds: 20 },
      rich,
      { ...freePart, freeSeconds: 20 },
    ],
    ['free=true spends nothing, whatever the cap', { free: true, maxCredits: 1 }, rich, freePart],
    [
      'a disabled free tier: true',
      { free: true, offer: { enabled: false, seconds: 60, dailyUses: 3 } },
      rich,
      'free_disabled',
    ],
    ['a disabled free tier: omitted, covered', { offer: { enabled: false, seconds: 60, dailyUses: 3 } }, rich, paid],
    [
      'a disabled free tier: omitted, not covered',
      { offer: { enabled: false, seconds: 60, dailyUses: 3 } },
      poor,
      'insufficient_balance',
    ],
    [
      'media info runs free, though covered',
      { tool: 'analyze_audio', alwaysFree: true, offer: { enabled: true, seconds: null, dailyUses: 20 } },
      rich,
      { free: true, windowSeconds: null, price: 0, freeSeconds: 600 },
    ],
    [
      'media info over its quota is not paid',
      { tool: 'analyze_audio', alwaysFree: true, offer: { enabled: true, seconds: null, dailyUses: 20 } },
      { availableCredits: 1000, freeUsesTaken: 20, freeSecondsTaken: 0 },
      'free_limit_reached',
    ],
  ])('%s', (_name, changes, funds, expected) => {
    expect(outcome(request(changes), funds)).toEqual(expected);
  });

  it('says the price, what is there, the limit and the reset', () => {
    const caught = (asked: TermsRequest, funds: Funds): EarshotError => {
      try {
        decideTerms(asked, funds);
      } catch (thrown) {
        return thrown as EarshotError;
      }
      throw new Error('expected a refusal');
    };
    expect(caught(request({ free: false }), poor).details).toEqual({
      tool: 'remove_noise',
      price: 10,
      available: 9,
      missing: 1,
      freeUsesLeft: 1,
    });
    expect(caught(request({ free: false }), poor).nextAction).toContain('free=true');
    expect(caught(request(), poorUsedUp).nextAction).not.toContain('free=true');
    expect(caught(request({ free: true }), richUsedUp).details).toMatchObject({
      limit: 3,
      taken: 3,
      resetsAt: '2026-11-22T00:00:00.000Z',
      price: 10,
    });
    expect(caught(request({ maxCredits: 3 }), rich).details).toEqual({ tool: 'remove_noise', price: 10, limit: 3 });
  });

  it('each refusal for money or free uses names a way: where to buy what is missing, or how to run it', () => {
    const shop = 'https://example.org/credits/token';
    const requests = fc.record({
      alwaysFree: fc.boolean(),
      free: fc.constantFrom(undefined, true, false),
      maxCredits: fc.option(fc.integer({ min: 1, max: 30 })),
      price: fc.integer({ min: 1, max: 30 }),
      offer: fc.record({
        enabled: fc.boolean(),
        seconds: fc.option(fc.constant(60)),
        dailyUses: fc.integer({ min: 0, max: 2 }),
      }),
      budgetSeconds: fc.option(fc.integer({ min: 0, max: 120 })),
      visitor: fc.boolean(),
      buyUrl: fc.constantFrom(
        () => shop,
        () => null,
      ),
    });
    const funds = fc.record({
      availableCredits: fc.integer({ min: 0, max: 30 }),
      freeUsesTaken: fc.integer({ min: 0, max: 3 }),
      freeSecondsTaken: fc.integer({ min: 0, max: 120 }),
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(requests, funds, (changes, has) => {
        const asked = request(changes);
        let error: EarshotError;
        try {
          decideTerms(asked, has);
          return;
        } catch (thrown) {
          error = thrown as EarshotError;
        }
        seen.add(error.code);
        const missing = asked.alwaysFree || asked.visitor ? 0 : asked.price - has.availableCredits;
        const { details = {}, nextAction } = error;
        const url = missing > 0 ? asked.buyUrl() : null;
        expect([details['buyUrl'], details['missing']]).toEqual([url ?? undefined, missing > 0 ? missing : undefined]);
        if (url !== null)
          expect(nextAction).toContain(`${missing === 1 ? '1 credit' : `${missing} credits`} more at ${url}`);
        else if (missing > 0) expect(nextAction).toContain('from the operator of this service');
        else expect(nextAction).toMatch(/free=false|Raise max_credits|Wait until|[Uu]se an account/);
        expect(details['price']).toBe(asked.price);
      }),
      { numRuns: 1000 },
    );
    expect([...seen].sort()).toEqual([
      'free_budget_exhausted',
      'free_disabled',
      'free_limit_reached',
      'insufficient_balance',
      'over_spending_cap',
    ]);
  });

  it('never holds credits for a free run, more than there are, or more than the cap', () => {
    const requests = fc.record({
      tool: fc.constantFrom<ToolId>('remove_noise', 'join_audio'),
      alwaysFree: fc.boolean(),
      free: fc.constantFrom(undefined, true, false),
      maxCredits: fc.option(fc.integer({ min: 1, max: 100 })),
      price: fc.integer({ min: 0, max: 100 }),
      offer: fc.record({
        enabled: fc.boolean(),
        seconds: fc.option(fc.constant(60)),
        dailyUses: fc.integer({ min: 0, max: 4 }),
      }),
      resetsAt: fc.constant(resetsAt),
      lengthSeconds: fc.constant(600),
      budgetSeconds: fc.constant(null),
      visitor: fc.constant(false),
      buyUrl: fc.constant(() => null),
    });
    const funds = fc.record({
      availableCredits: fc.integer({ min: 0, max: 120 }),
      freeUsesTaken: fc.integer({ min: 0, max: 6 }),
      freeSecondsTaken: fc.constant(0),
    });
    fc.assert(
      fc.property(requests, funds, (asked, has) => {
        const got = outcome(asked, has);
        const useLeft = asked.offer.enabled && has.freeUsesTaken < asked.offer.dailyUses;
        if (typeof got === 'string') {
          // Nothing is refused that could run.
          if (got === 'insufficient_balance')
            expect(has.availableCredits < asked.price && (asked.free === false || !useLeft)).toBe(true);
          if (got === 'over_spending_cap')
            expect(asked.maxCredits !== null && asked.maxCredits < asked.price).toBe(true);
          if (got === 'free_limit_reached' || got === 'free_disabled')
            expect(asked.free === true || asked.alwaysFree).toBe(true);
          return;
        }
        if (got.free) expect([got.price, useLeft, asked.free === false && !asked.alwaysFree]).toEqual([0, true, false]);
        else {
          expect(got.price).toBe(asked.price);
          expect(got.price <= has.availableCredits && got.price <= (asked.maxCredits ?? Infinity)).toBe(true);
          expect(asked.free === true || asked.alwaysFree || got.windowSeconds !== null).toBe(false);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('counts days in UTC', () => {
    expect(utcDay(new Date('2026-12-31T23:59:59.999Z'))).toBe('2026-12-31');
    expect(nextUtcMidnight(new Date('2026-12-31T23:59:59.999Z')).toISOString()).toBe('2027-01-01T00:00:00.000Z');
    expect(nextUtcMidnight(new Date('2026-12-31T00:00:00Z')).toISOString()).toBe('2027-01-01T00:00:00.000Z');
  });
});

import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import type { CardPayments } from '../money/payment-provider.ts';
import type { AutoRefill } from '../money/auto-refill.ts';
import type { Refills } from './payment-use-cases.ts';
import { type PaymentsDeps, requireProvider } from './deps.ts';

const mostCents = 1_000_000;

/** The start of the month in UTC, for the cap. */
const monthStart = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));

/** Changes an account's auto-refill. */
type Change = (accountId: string, patch: (before: AutoRefill) => Partial<AutoRefill>) => Promise<void>;

/** From the current row: that of the request may be outdated. */
export const changeRefill =
  (accounts: PaymentsDeps['accounts']): Change =>
  async (accountId, patch) => {
    const account = await accounts.get(accountId);
    if (account === null) throw new EarshotError('not_found', 'There is no such account');
    await accounts.update(accountId, { autoRefill: { ...account.autoRefill, ...patch(account.autoRefill) } });
  };

/** The user's settings: when to buy, how much, with which card. */
export function createRefillWishes(
  deps: PaymentsDeps,
  change: Change,
  check: Refills['check'],
): Omit<Refills, 'check' | 'sweep'> {
  const { payments, provider, config, baseUrl, now } = deps;

  function requireCards(): CardPayments {
    const { cards } = requireProvider(deps);
    if (cards !== null) return cards;
    throw new EarshotError('forbidden', 'This service cannot save cards: its operator confirms payments by hand', {
      nextAction: 'Buy credits once.',
    });
  }

  return {
    possible: provider !== null && provider.cards !== null,
    spentThisMonth: (account) => payments.refilledSince(account.id, monthStart(now())),

    async save(account, wish) {
      requireCards();
      checkWish(wish, config.minimumPaymentCents);
      await change(account.id, () => ({ ...wish, enabled: true, failure: null }));
      await check(account.id);
    },

    turnOff: (account) => change(account.id, () => ({ enabled: false, failure: null })),

    async saveCard(account, press) {
      const { url } = await requireCards().save({
        accountId: account.id,
        email: account.email,
        customer: account.autoRefill.card?.customer ?? null,
        press,
        returnUrl: `${baseUrl()}/credits?card=1`,
        cancelUrl: `${baseUrl()}/credits`,
      });
      return url;
    },

    async forgetCard(account) {
      const { card } = account.autoRefill;
      await change(account.id, () => ({ enabled: false, card: null, failure: null }));
      if (card?.method !== undefined) await forgetMethod(deps, card.method);
    },

    async retry(account) {
      await change(account.id, () => ({ failure: null }));
      await check(account.id);
    },
  };
}

/** Deletes a card at the provider. Our record of it is gone either way. */
export async function forgetMethod({ provider, log }: PaymentsDeps, method: string): Promise<void> {
  await provider?.cards
    ?.forget(method)
    .catch((err: unknown) => log.warn({ err }, 'The payment provider did not forget a card'));
}

function checkWish(
  { thresholdCents, amountCents, monthlyCapCents }: Parameters<Refills['save']>[1],
  least: number,
): void {
  const whole = (field: string, value: number, from: number): void => {
    if (!Number.isSafeInteger(value) || value < from || value > mostCents)
      throw badValue(field, `whole number of ${from} to ${mostCents}`, value);
  };
  whole('thresholdCents', thresholdCents, 1);
  whole('amountCents', amountCents, least);
  whole('monthlyCapCents', monthlyCapCents, amountCents);
}

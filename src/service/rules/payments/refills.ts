import { newId } from '../shared/ids.ts';
import type { PaymentProvider, SavedCard } from '../money/payment-provider.ts';
import type { Payment } from '../money/payment-store.ts';
import type { Account } from '../accounts/account.ts';
import type { RefillFailure } from '../money/auto-refill.ts';
import type { Refills } from './payment-use-cases.ts';
import type { PaymentsDeps } from './deps.ts';
import type { PaymentNotices } from './notices.ts';
import { changeRefill, createRefillWishes, forgetMethod } from './refill-wishes.ts';

/** A charge still open after this time was begun by a process that died. Repeating it is idempotent. */
const stuckMs = 2 * 60_000;
/** A charge without an answer for this long has failed: the provider keeps idempotency keys for a day. */
const givenUpMs = 20 * 3_600_000;

/** Auto-refill, with the events of payments. */
export interface RefillsInside extends Refills {
  /** The provider has saved a card. */
  keepCard(accountId: string, card: SavedCard): Promise<void>;
  /** A charge failed after all. */
  failed(payment: Payment, cause: RefillFailure['cause'], code: string): Promise<void>;
}

/** Auto-refill: buys credits when few are left. */
export function createRefills(
  deps: PaymentsDeps,
  confirm: (id: string, paidCents: number) => Promise<Payment>,
  notices: PaymentNotices,
): RefillsInside {
  const { payments, accounts, provider, log, now } = deps;
  const change = changeRefill(accounts);

  async function failed(payment: Payment, cause: RefillFailure['cause'], code: string): Promise<void> {
    if (!payment.automatic) return;
    const failure: RefillFailure = { cause, paymentId: payment.id, at: now().toISOString() };
    // Two processes may be told of the same failure; the account is told once.
    if (await payments.failRefill(payment.id, failure, code)) await notices.refillFailed(payment, failure);
  }

  async function charge({ cards }: PaymentProvider, payment: Payment): Promise<void> {
    const account = payment.accountId === null ? null : await accounts.get(payment.accountId);
    const card = account?.autoRefill.card;
    if (cards === null || card?.customer === undefined || card.method === undefined)
      return failed(payment, 'declined', 'no card');
    if (now().getTime() - payment.createdAt.getTime() > givenUpMs) return failed(payment, 'declined', 'no answer');
    const outcome = await cards.charge({
      paymentId: payment.id,
      card: { customer: card.customer, method: card.method },
      amountCents: payment.amountCents,
      title: `${payment.amountCents} credits, auto-refill`,
    });
    if (outcome.kind === 'failed') return failed(payment, outcome.cause, outcome.code);
    await payments.refer(payment.id, outcome.reference);
    if (outcome.kind === 'paid') await confirm(payment.id, outcome.paidCents);
  }

  async function check(accountId: string): Promise<void> {
    if (provider === null || provider.cards === null) return;
    try {
      const account = await accounts.get(accountId);
      // Checked without a lock first: most accounts have enough credits, or no auto-refill.
      if (account === null || !isDue(account)) return;
      const payment = await payments.beginRefill(accountId, {
        id: newId('pay'),
        provider: provider.id,
        createdAt: now(),
      });
      if (payment !== null) await charge(provider, payment);
    } catch (err) {
      log.warn({ err, account: accountId }, 'Auto-refill did not work; trying again');
    }
  }

  return {
    ...createRefillWishes(deps, change, check),
    failed,
    check,

    async keepCard(accountId, { brand, last4, customer, method }) {
      const before = (await accounts.get(accountId))?.autoRefill.card;
      await change(accountId, () => ({ card: { brand, last4, customer, method }, failure: null }));
      if (before?.method !== undefined && before.method !== method) await forgetMethod(deps, before.method);
      await check(accountId);
    },

    async sweep(stillLeads) {
      if (provider === null || provider.cards === null) return;
      for (const payment of await payments.openRefills(new Date(now().getTime() - stuckMs))) {
        await stillLeads?.();
        await charge(provider, payment).catch((err: unknown) =>
          log.warn({ err, payment: payment.id }, 'Could not repeat a charge; trying again'),
        );
      }
      for (const id of await payments.refillable()) {
        await stillLeads?.();
        await check(id);
      }
    },
  };
}

function isDue({ balance, reserved, autoRefill }: Account): boolean {
  const { enabled, thresholdCents, card, failure = null } = autoRefill;
  if (!enabled || thresholdCents === null || card?.method === undefined || failure !== null) return false;
  return balance - reserved < thresholdCents;
}

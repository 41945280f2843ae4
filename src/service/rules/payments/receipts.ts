import { EarshotError } from '../../../library/core/errors/errors.ts';
import { makeKeySecret } from '../accounts/access.ts';
import { newId } from '../shared/ids.ts';
import type { Payment } from '../money/payment-store.ts';
import type { Payments } from './payment-use-cases.ts';
import type { PaymentsDeps } from './deps.ts';

/** Receipts, and the API key of an account that a payment made. */
export function createReceipts(
  { freeRuns, accounts, tokens, now }: PaymentsDeps,
  get: Payments['get'],
): Pick<Payments, 'receipt' | 'makeKey'> {
  async function byReceipt(token: string): Promise<Payment> {
    const reading = await tokens.read('receipt', token, now());
    if (reading.ok) return get(reading.id);
    throw new EarshotError('not_found', 'There is no such receipt', { nextAction: 'Check that the link is complete.' });
  }

  /** Only a payment without an account made one that has no key yet. */
  async function mayMakeKey({ paidAt, accountId, freeRunId }: Payment): Promise<boolean> {
    if (paidAt === null || accountId === null || freeRunId === null) return false;
    const run = await freeRuns.get(freeRunId);
    if (run?.accountId === accountId) return false;
    return (await accounts.listKeys(accountId)).length === 0;
  }

  return {
    async receipt(token) {
      const payment = await byReceipt(token);
      return {
        payment,
        account: payment.accountId === null ? null : await accounts.get(payment.accountId),
        run: payment.freeRunId === null ? null : await freeRuns.get(payment.freeRunId),
        mayMakeKey: await mayMakeKey(payment),
      };
    },

    async makeKey(token, press) {
      const payment = await byReceipt(token);
      const { accountId } = payment;
      const { secret, prefix, hash } = makeKeySecret(press === null ? null : `${payment.id}:${press}`);
      const key = { id: newId('key'), accountId: accountId ?? '', name: 'receipt', prefix, hash };
      if (accountId !== null && (await mayMakeKey(payment)) && (await accounts.addFirstKey(key)) !== null)
        return secret;
      // A double press: the browser shows only the last answer, so that one needs the key, too.
      const known = press === null ? null : await accounts.findKey(hash);
      if (known !== null && known.account.id === accountId && known.key.revokedAt === null) return secret;
      throw new EarshotError('conflict', 'This account already has a key', {
        nextAction: 'Use that key, or ask the operator of this service for a new one.',
        details: { reason: 'has_key' },
      });
    },
  };
}

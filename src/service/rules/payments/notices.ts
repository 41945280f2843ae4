import { receiptMail, refillFailedMail } from '../mails/mails.ts';
import type { Mail } from '../mails/mailer.ts';
import type { Payment } from '../money/payment-store.ts';
import type { Account } from '../accounts/account.ts';
import type { RefillFailure } from '../money/auto-refill.ts';
import type { PaymentsDeps } from './deps.ts';

/** Mails about payments, to accounts with an address. A failed mail never fails the payment. */
export interface PaymentNotices {
  paid(payment: Payment): Promise<void>;
  refillFailed(payment: Payment, failure: RefillFailure): Promise<void>;
}

export function createNotices({ accounts, mailer, log, baseUrl }: PaymentsDeps): PaymentNotices {
  async function send(
    accountId: string | null,
    compose: (account: Account & { readonly email: string }) => Mail,
  ): Promise<void> {
    if (mailer === null || accountId === null) return;
    try {
      const account = await accounts.get(accountId);
      if (account === null || account.email === null) return;
      await mailer.send(compose({ ...account, email: account.email }));
    } catch (err) {
      log.warn({ err }, 'Could not send a mail about a payment');
    }
  }

  return {
    paid: (payment) =>
      send(payment.accountId, (account) => receiptMail(account, payment, `${baseUrl()}/receipts/${payment.id}`)),
    refillFailed: (payment, failure) =>
      send(payment.accountId, (account) => refillFailedMail(account, payment, failure, `${baseUrl()}/credits`)),
  };
}

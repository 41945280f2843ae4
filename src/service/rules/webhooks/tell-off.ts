import type { AccountStore } from '../accounts/account-store.ts';
import type { Mailer } from '../mails/mailer.ts';
import { webhookOffMail } from '../mails/mails.ts';
import type { DeliverDeps } from './deliver.ts';

/** A mail to the account whose endpoint was switched off; nothing without a mailer or an address. */
export const tellOff =
  ({
    accounts,
    mailer,
    baseUrl,
  }: {
    readonly accounts: Pick<AccountStore, 'get'>;
    readonly mailer: Mailer | null;
    readonly baseUrl: () => string;
  }): NonNullable<DeliverDeps['onSwitchedOff']> =>
  async (accountId, endpoint) => {
    const account = mailer === null ? null : await accounts.get(accountId);
    if (mailer === null || account === null || account.email === null) return;
    await mailer.send(webhookOffMail(account.email, account.language, endpoint, baseUrl()));
  };

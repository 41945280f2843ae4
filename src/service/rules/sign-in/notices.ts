import { type AccountNotice, noticeMail } from '../mails/mails.ts';
import type { Log } from '../shared/log.ts';
import type { Mailer } from '../mails/mailer.ts';
import type { Account } from '../accounts/account.ts';

/** Mails about new ways into an account, so that its owner notices those of others. A failed mail fails nothing. */
export interface AccountNotices {
  /** Nothing for accounts without an address. Resolves at once; the mailer's `close` waits for the mail. */
  tell(account: Account, notice: AccountNotice): void;
}

export const createAccountNotices = ({
  mailer,
  log,
  baseUrl,
  now,
}: {
  readonly mailer: Mailer | null;
  readonly log: Pick<Log, 'warn'>;
  readonly baseUrl: () => string;
  readonly now: () => Date;
}): AccountNotices => ({
  tell({ email, language }, notice) {
    if (mailer === null || email === null) return;
    void mailer
      .send(noticeMail(email, language, notice, now(), baseUrl()))
      .catch((err: unknown) => log.warn({ err }, 'Could not send a mail about a new way into an account'));
  },
});

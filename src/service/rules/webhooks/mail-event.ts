import { isOfAccount } from './mail-address.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Mailer } from '../mails/mailer.ts';
import { endedMail } from '../mails/mails.ts';
import type { ClaimedDelivery } from './webhook-store.ts';
import type { WebhookAnswer } from './webhook-sender.ts';

/** Who waits for less does not need a mail. */
const longSeconds = 300;
/** SMTP's, which is one of success in HTTP, too. */
const taken = 250;
/** What an event's name ends with. */
const mailed = ['completed', 'failed', 'cancelled', 'test'] as const;

export interface MailEventDeps {
  readonly accounts: Pick<AccountStore, 'get'>;
  /** The time at which a job or a chain was ordered; null where no job or chain has this id. */
  readonly orderedAt: (id: string) => Promise<Date | null>;
  readonly mailer: Mailer | null;
  readonly baseUrl: () => string;
}

/**
 * Sends an event to the account's own address, where it asked for that: the end of a job or chain that took 5 minutes
 * and more. A try that is repeated, as after a kill, has the same Message-ID.
 */
export const createMailEvents =
  ({ accounts, orderedAt, mailer, baseUrl }: MailEventDeps) =>
  async ({ id, type, data, accountId, url, createdAt }: ClaimedDelivery): Promise<WebhookAnswer> => {
    const account = await accounts.get(accountId);
    if (account === null || !isOfAccount(url, account))
      return { status: 410, answer: 'The account has another address' };
    if (mailer === null) return { status: null, answer: 'This service sends no mails' };
    const ended = mailed.find((each) => type.endsWith(`.${each}`));
    // An endpoint may ask for the starts of jobs, too.
    if (ended === undefined) return { status: taken, answer: 'No mail: it has not ended' };
    const { id: subject } = data as { readonly id?: string };
    const ordered = await orderedAt(subject ?? '');
    const seconds = ordered === null ? 0 : (createdAt.getTime() - ordered.getTime()) / 1000;
    if (type !== 'webhook.test' && seconds < longSeconds)
      return { status: taken, answer: `No mail: it took less than ${longSeconds / 60} minutes` };
    const { tool, recipe, error } = data as {
      readonly tool?: string;
      readonly recipe?: string | null;
      readonly error?: { readonly code: string };
    };
    const mail = endedMail(account.email ?? '', account.language, {
      id: subject ?? '',
      what: tool ?? recipe ?? null,
      ended,
      errorCode: error?.code ?? null,
      orderedAt: ordered ?? createdAt,
      at: createdAt,
      siteUrl: baseUrl(),
    });
    try {
      await mailer.send({ ...mail, id });
      return { status: taken, answer: 'The mail server took it' };
    } catch (thrown) {
      return { status: null, answer: (thrown as Error).message };
    }
  };

import type { Account } from '../accounts/account.ts';
import { type WebhookEvent, webhookEvents } from './webhook-store.ts';

/** Does an endpoint lead to a mailbox, and not to a server? */
export const isMail = (url: string): boolean => /^mailto:/i.test(url);

/** Is it the account's own address? Others would get mails that they did not ask for. */
export const isOfAccount = (url: string, { email }: Pick<Account, 'email'>): boolean =>
  email !== null && url.toLowerCase() === `mailto:${email}`;

/** What may be mailed: the ends of jobs and chains. */
export const mailedEvents: readonly WebhookEvent[] = webhookEvents.filter((event) =>
  /^(?:job|chain)\.(?:completed|failed|cancelled)$/.test(event),
);

import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import type { Account } from '../accounts/account.ts';
import { newId, randomAlphanumerics } from '../shared/ids.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { newWebhookSecret } from './signature.ts';
import type { LinkFetcher } from '../files/links.ts';
import { isMail, isOfAccount, mailedEvents } from './mail-address.ts';
import {
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEvent,
  webhookEvents,
  type WebhookStore,
} from './webhook-store.ts';

/** Webhooks of an account. */
const mostOfAccount = 20;
const longestUrl = 2000;
const longestDescription = 200;
/** Of what is mailed where no events are named. */
const ends: readonly WebhookEvent[] = ['job.completed', 'job.failed', 'chain.completed', 'chain.failed'];
/** While a receiver changes to a new secret. */
const besideSeconds = 24 * 3600;

export interface WebhookWish {
  readonly url: string;
  /** Default: all; for a mailbox the ends of jobs and chains. */
  readonly events?: readonly WebhookEvent[];
  readonly description?: string;
}

export interface WebhookWithSecret {
  readonly endpoint: WebhookEndpoint;
  /** Shown here only. */
  readonly secret: string;
}

/** Addresses that an account's events go to. */
export interface Webhooks {
  /** An address that gets events from now on. @throws EarshotError bad_request, limit_exceeded */
  create(account: Account, wish: WebhookWish): Promise<WebhookWithSecret>;
  /** The account's endpoints, oldest first. */
  list(account: Account): Promise<readonly WebhookEndpoint[]>;
  /** One endpoint of the account. @throws EarshotError not_found */
  get(account: Account, id: string): Promise<WebhookEndpoint>;
  /**
   * Switching on gives it a new day; switching off ends what is on its way.
   * @throws EarshotError not_found, bad_request
   */
  update(
    account: Account,
    id: string,
    patch: Partial<WebhookWish> & { readonly enabled?: boolean },
  ): Promise<WebhookEndpoint>;
  /** With its log. @throws EarshotError not_found */
  remove(account: Account, id: string): Promise<void>;
  /** A new secret; the old one signs beside it for a day. @throws EarshotError not_found */
  rotate(account: Account, id: string): Promise<WebhookWithSecret>;
  /** Sends an event of the type webhook.test. @throws EarshotError not_found, conflict while it is off */
  test(account: Account, id: string): Promise<WebhookDelivery>;
  /** Of the last seven days, newest first. @throws EarshotError not_found */
  deliveries(account: Account, id: string, page: PageRequest): Promise<Page<WebhookDelivery>>;
  /** Sends an event again, with a day of tries. @throws EarshotError not_found, conflict while it is off */
  replay(account: Account, id: string, eventId: string): Promise<WebhookDelivery>;
}

export function createWebhooks({
  webhooks,
  links,
  sendsMails = false,
}: {
  readonly webhooks: WebhookStore;
  /** May an account have events mailed to its own address? Default: false */
  readonly sendsMails?: boolean;
  /** Judges addresses, as those of imports. */
  readonly links: Pick<LinkFetcher, 'check'>;
}): Webhooks {
  const checkUrl = (url: string, account: Account): string => {
    if (isMail(url)) {
      if (!sendsMails || !isOfAccount(url, account))
        throw badValue('url', "https link, or mailto: with the account's own address where mails are sent", url);
      return url.toLowerCase();
    }
    if (url.length > longestUrl) throw badValue('url', `at most ${longestUrl} characters`, url.slice(0, 100));
    return links.check(url, 'url').href;
  };
  const checkDescription = (text: string): string => {
    if (text.length > longestDescription)
      throw badValue('description', `at most ${longestDescription} characters`, text.slice(0, 100));
    return text;
  };
  const checkEvents = (events: readonly WebhookEvent[], url: string): readonly WebhookEvent[] => {
    const known = isMail(url) ? mailedEvents : webhookEvents;
    if (events.length === 0 || events.some((event) => !known.includes(event)))
      throw badValue('events', `one or more of ${known.join(', ')}`, events);
    return webhookEvents.filter((event) => events.includes(event));
  };
  const found = <Found>(id: string, row: Found | null): Found => {
    if (row === null) throw new EarshotError('not_found', `There is no webhook ${id}`, { details: { id } });
    return row;
  };
  const own = async (account: Account, id: string): Promise<WebhookEndpoint> =>
    found(id, await webhooks.get(account.id, id));
  const ownAndOn = async (account: Account, id: string): Promise<void> => {
    if (!(await own(account, id)).enabled)
      throw new EarshotError('conflict', `The webhook ${id} is switched off`, { nextAction: 'Switch it on first.' });
  };

  return {
    async create(account, { url, events, description = '' }) {
      const secret = newWebhookSecret();
      const endpoint = await webhooks.create(
        {
          id: newId('hook'),
          accountId: account.id,
          url: checkUrl(url, account),
          events: checkEvents(events ?? (isMail(url) ? ends : webhookEvents), url),
          description: checkDescription(description),
          secret,
        },
        mostOfAccount,
      );
      return { endpoint, secret };
    },
    list: (account) => webhooks.list(account.id),
    get: own,
    async update(account, id, { url, events, description, enabled }) {
      const before = await own(account, id);
      const patch = {
        ...(url === undefined ? {} : { url: checkUrl(url, account) }),
        ...(url === undefined && events === undefined
          ? {}
          : { events: checkEvents(events ?? before.events, url ?? before.url) }),
        ...(description === undefined ? {} : { description: checkDescription(description) }),
        ...(enabled === undefined ? {} : { enabled }),
      };
      return found(id, await webhooks.update(account.id, id, patch));
    },
    async remove(account, id) {
      if (!(await webhooks.remove(account.id, id))) found(id, null);
    },
    async rotate(account, id) {
      const secret = newWebhookSecret();
      return { endpoint: found(id, await webhooks.rotate(account.id, id, secret, besideSeconds)), secret };
    },
    async test(account, id) {
      await ownAndOn(account, id);
      return await webhooks.addTest(id, `evt_${randomAlphanumerics(32)}`);
    },
    async deliveries(account, id, page) {
      await own(account, id);
      return await webhooks.deliveries(id, page);
    },
    async replay(account, id, eventId) {
      await ownAndOn(account, id);
      const again = await webhooks.replay(id, eventId);
      if (again === null)
        throw new EarshotError('not_found', `There is no event ${eventId} of the webhook ${id}`, {
          details: { id: eventId },
        });
      return again;
    },
  };
}

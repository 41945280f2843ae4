import { setTimeout as sleep } from 'node:timers/promises';
import { webhookHeaders } from './signature.ts';
import type { Log } from '../shared/log.ts';
import type { StillLeads } from '../fleet/leadership.ts';
import type { ClaimedDelivery, WebhookStore } from './webhook-store.ts';
import { isMail } from './mail-address.ts';
import type { WebhookAnswer, WebhookSender } from './webhook-sender.ts';

/** How webhooks are retried. For tests; the service has `usualTerms`. */
export interface DeliveryTerms {
  /** Seconds before the second try, the third, and so on; the last one repeats. A fifth is left to chance. */
  readonly waitsSeconds: readonly number[];
  /** An endpoint whose tries have all failed for so long is switched off. */
  readonly switchOffSeconds: number;
  /** Longer than a try may take: another process sends it then. */
  readonly leaseSeconds: number;
  /** How often new events are looked for while others are on their way, milliseconds. */
  readonly betweenLooksMs: number;
}

const minute = 60;
const hour = 3600;

/** Nine waits that grow, then every 4 h, and a last try when the day is over. */
const usualTerms: DeliveryTerms = {
  waitsSeconds: [5, 30, 2 * minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour],
  switchOffSeconds: 24 * hour,
  leaseSeconds: 60,
  betweenLooksMs: 500,
};

/** Servers that hang must not hold up others: each gets its own few connections. */
const mostOfEndpoint = 8;
const most = 64;

/** An endpoint that nothing is sent to any more. */
export interface EndpointOff {
  readonly id: string;
  readonly url: string;
  readonly reason: 'failing' | 'gone';
}

export interface DeliverDeps {
  readonly webhooks: Pick<WebhookStore, 'claim' | 'settle'>;
  readonly sender: WebhookSender;
  /** Sends events to mailboxes. Default: no endpoint is one */
  readonly mail?: (claimed: ClaimedDelivery) => Promise<WebhookAnswer>;
  readonly log: Log;
  /** Called once for an endpoint that is switched off. Default: only the log says so */
  readonly onSwitchedOff?: (accountId: string, endpoint: EndpointOff) => Promise<void>;
  readonly now: () => Date;
  readonly terms?: DeliveryTerms;
}

export interface WebhookDelivering {
  /** Sends all that is due, and what comes meanwhile; resolves when nothing is on its way. */
  round(stillLeads: StillLeads): Promise<void>;
  /** Breaks off what is on its way: it is sent again when its lease ends. */
  stop(): void;
}

/** Sends webhooks: at least once, those of one object one after another. */
export function createWebhookDelivering({
  webhooks,
  sender,
  mail,
  log,
  onSwitchedOff,
  now,
  terms = usualTerms,
}: DeliverDeps): WebhookDelivering {
  const stopping = new AbortController();
  const flying = new Map<Promise<void>, string>();

  const send = async (claimed: ClaimedDelivery, leaseEnds: number): Promise<void> => {
    // A process that hung since then must not send what another one has sent.
    if (performance.now() >= leaseEnds) return;
    const body = messageOf(claimed);
    const startedAt = performance.now();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Earshot webhook',
      ...webhookHeaders(claimed.id, body, claimed.secrets, now()),
    };
    const { status, answer } = await (isMail(claimed.url) && mail !== undefined
      ? mail(claimed)
      : sender.post(new URL(claimed.url), { headers, body }, stopping.signal));
    const ok = status !== null && status >= 200 && status <= 299;
    const off = await webhooks.settle(
      claimed,
      { ok, gone: status === 410, status, milliseconds: Math.round(performance.now() - startedAt), answer },
      { waitSeconds: waitAfter(claimed.tries, terms), switchOffSeconds: terms.switchOffSeconds },
    );
    if (!off) return;
    log.warn({ endpoint: claimed.endpointId }, 'A webhook was switched off: it failed for too long, or is gone');
    const { endpointId: id, url, accountId } = claimed;
    await onSwitchedOff?.(accountId, { id, url, reason: status === 410 ? 'gone' : 'failing' });
  };

  const take = async (): Promise<void> => {
    if (flying.size >= most) return;
    const inFlight = new Map<string, number>();
    for (const endpoint of flying.values()) inFlight.set(endpoint, (inFlight.get(endpoint) ?? 0) + 1);
    const claimed = await webhooks.claim({
      most: most - flying.size,
      mostOfEndpoint,
      leaseSeconds: terms.leaseSeconds,
      inFlight,
    });
    const leaseEnds = performance.now() + terms.leaseSeconds * 1000;
    for (const each of claimed) {
      const flight = send(each, leaseEnds)
        .catch((thrown: unknown) => {
          if (!stopping.signal.aborted) log.warn({ err: thrown, event: each.id }, 'Could not send a webhook');
        })
        .finally(() => flying.delete(flight));
      flying.set(flight, each.endpointId);
    }
  };

  return {
    async round(stillLeads) {
      let askedAt = performance.now();
      await take();
      while (flying.size > 0 && !stopping.signal.aborted) {
        await Promise.race([...flying.keys(), sleep(terms.betweenLooksMs)]);
        if (performance.now() - askedAt >= terms.betweenLooksMs) {
          await stillLeads();
          askedAt = performance.now();
        }
        await take();
      }
    },
    stop() {
      stopping.abort();
    },
  };
}

/** The body: what happened, when, and to which record. Names, texts and links are not in it. */
const messageOf = ({ type, createdAt, data }: ClaimedDelivery): string =>
  JSON.stringify({ type, timestamp: createdAt.toISOString(), data });

function waitAfter(tries: number, { waitsSeconds }: DeliveryTerms): number {
  const wait = waitsSeconds[Math.min(tries, waitsSeconds.length) - 1] ?? 0;
  return wait * (0.8 + 0.2 * Math.random());
}

import type { JsonObject } from '../../../library/core/json.ts';
import type { Page, PageRequest } from '../shared/page.ts';

/** Events that accounts may ask for, written by the triggers of migrations 0031 and 0032. */
export const webhookEvents = [
  'job.created',
  'job.started',
  'job.completed',
  'job.failed',
  'job.cancelled',
  'file.ready',
  'file.invalid',
  'file.deleted',
  'chain.created',
  'chain.completed',
  'chain.failed',
  'chain.cancelled',
] as const;
/** Type of an event that accounts may ask for. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** asked: by the account; failing: every try failed for a day; gone: the server answered 410 */
export type OffReason = 'asked' | 'failing' | 'gone';

/** An address that an account gave for events. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** The account's own note; '': none. */
  readonly description: string;
  readonly events: readonly WebhookEvent[];
  readonly enabled: boolean;
  /** null: it is on. */
  readonly offReason: OffReason | null;
  /** The first failure since the last success; null: none. */
  readonly failingSince: Date | null;
  readonly createdAt: Date;
}

/** pending: it is still tried; failed: no try of a day was taken, or its endpoint was switched off */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** One event on its way to one endpoint, and what became of the last try. */
export interface WebhookDelivery {
  /** Id of the event, "evt_...": the header webhook-id. */
  readonly id: string;
  readonly type: WebhookEvent | 'webhook.test';
  /** Id of the object that changed. */
  readonly subject: string;
  readonly status: DeliveryStatus;
  readonly tries: number;
  /** Of the next try; null: it has ended. */
  readonly nextAt: Date | null;
  /** Of the last try; null: there was none. */
  readonly triedAt: Date | null;
  readonly answerStatus: number | null;
  readonly answerMs: number | null;
  /** First characters of the last answer, or why there was none. */
  readonly answer: string | null;
  readonly createdAt: Date;
}

/** A delivery that this process is to send. */
export interface ClaimedDelivery {
  readonly position: number;
  readonly endpointId: string;
  readonly accountId: string;
  readonly url: string;
  /** Of the endpoint, then the one before its rotation while that is valid. */
  readonly secrets: readonly string[];
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  /** This one included; fences off a process that was late. */
  readonly tries: number;
  readonly createdAt: Date;
}

/** What became of a try. */
export interface TryOutcome {
  readonly ok: boolean;
  /** The server wants no more. */
  readonly gone: boolean;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly answer: string;
}

export interface SettleTerms {
  /** Until the next try. */
  readonly waitSeconds: number;
  /** An endpoint whose tries have all failed for so long is switched off. */
  readonly switchOffSeconds: number;
}

/** Endpoints and deliveries of webhooks. Each change is one transaction. */
export interface WebhookStore {
  /** A new endpoint that is on. @throws EarshotError limit_exceeded when the account has so many */
  create(
    endpoint: Pick<WebhookEndpoint, 'id' | 'url' | 'description' | 'events'> & {
      readonly accountId: string;
      readonly secret: string;
    },
    mostOfAccount: number,
  ): Promise<WebhookEndpoint>;
  /** The account's endpoints, oldest first. */
  list(accountId: string): Promise<readonly WebhookEndpoint[]>;
  /** null: the account has no such endpoint. */
  get(accountId: string, id: string): Promise<WebhookEndpoint | null>;
  /** Switching off ends what is on its way. null: the account has no such endpoint. */
  update(
    accountId: string,
    id: string,
    patch: Partial<Pick<WebhookEndpoint, 'url' | 'description' | 'events' | 'enabled'>>,
  ): Promise<WebhookEndpoint | null>;
  /** With its deliveries. false: the account has no such endpoint */
  remove(accountId: string, id: string): Promise<boolean>;
  /** The present secret signs beside the new one for so long. null: the account has no such endpoint */
  rotate(accountId: string, id: string, secret: string, besideSeconds: number): Promise<WebhookEndpoint | null>;
  /** Adds an event of the type webhook.test. */
  addTest(endpointId: string, eventId: string): Promise<WebhookDelivery>;
  /** What was or is sent to an endpoint, newest first. */
  deliveries(endpointId: string, page: PageRequest): Promise<Page<WebhookDelivery>>;
  /** Makes it due at once, with a day of tries if it had ended. null: the endpoint has no such delivery */
  replay(endpointId: string, eventId: string): Promise<WebhookDelivery | null>;

  /**
   * Takes deliveries that are due and whose object has none before them, by turns of endpoints.
   * @param inFlight what this process sends now, by endpoint
   */
  claim(limits: {
    readonly most: number;
    readonly mostOfEndpoint: number;
    readonly leaseSeconds: number;
    readonly inFlight: ReadonlyMap<string, number>;
  }): Promise<readonly ClaimedDelivery[]>;
  /**
   * Notes the outcome, unless another process has the delivery by now.
   * @returns was the endpoint switched off by it?
   */
  settle(claimed: ClaimedDelivery, outcome: TryOutcome, terms: SettleTerms): Promise<boolean>;
}

// The tables' types of webhooks. A part of schema.ts.
import type { Generated, GeneratedAlways } from 'kysely';
import type { JsonObject } from '../../../../library/core/json.ts';
import type { DeliveryStatus, OffReason, WebhookEvent } from '../../../rules/webhooks/webhook-store.ts';
import type { CreatedAt, Json } from './columns.ts';

/** Addresses that accounts gave for events. */
export interface WebhookEndpointTable {
  /** Public id, "hook_...". */
  id: string;
  /** The account whose events go there. */
  accountId: string;
  /** A public https link. */
  url: string;
  /** The account's own note; '': none. */
  description: string;
  /** Types of the events that go there. */
  events: WebhookEvent[];
  /** "whsec_..." with Base64; signs what is sent. */
  secret: string;
  /** The secret before the last rotation, which signs beside it until `earlierUntil`; null: none. */
  earlierSecret: string | null;
  /** null: there is no earlier secret. */
  earlierUntil: Date | null;
  enabled: Generated<boolean>;
  /** Why it is off; null: it is on. */
  offReason: OffReason | null;
  /** The first failure since the last success; null: the last delivery was a success, or there was none. */
  failingSince: Date | null;
  createdAt: CreatedAt;
}

/** An event on its way to one endpoint; written by the triggers of migrations 0031 and 0032. */
export interface WebhookDeliveryTable {
  /** In the order of the changes of one object. */
  position: GeneratedAlways<number>;
  /** Id of the event, "evt_...", the same for all endpoints. */
  id: string;
  /** Where it goes. */
  endpointId: string;
  type: WebhookEvent | 'webhook.test';
  /** Id of the object that changed: its events are sent one after another. */
  subject: string;
  data: Json<JsonObject>;
  status: Generated<DeliveryStatus>;
  /** Tries so far, with the one under way. */
  tries: Generated<number>;
  /** When it is due. */
  nextAt: Generated<Date>;
  /** The last try is made then. */
  givesUpAt: Generated<Date>;
  /** A process sends it until then; null or past: none does. */
  leasedUntil: Date | null;
  /** When the last try ended; null: none has. */
  triedAt: Date | null;
  /** HTTP status of the last answer; null: there was none. */
  answerStatus: number | null;
  /** Milliseconds of the last try; null: none has ended. */
  answerMs: number | null;
  /** First characters of the last answer, or why there was none; null: no try has ended. */
  answer: string | null;
  createdAt: CreatedAt;
}

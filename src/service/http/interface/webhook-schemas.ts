import * as Type from 'typebox/type';
import type { Static, TSchema } from 'typebox/type';
import { type WebhookDelivery, type WebhookEndpoint, webhookEvents } from '../../rules/webhooks/webhook-store.ts';
import { ref } from './schemas.ts';

/** The shapes of webhooks: an addition to the interface as a whole. */

const events = Type.Array(Type.Enum([...webhookEvents]), {
  minItems: 1,
  maxItems: webhookEvents.length,
  description: 'Types of the events that go there',
});
const url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description:
    "A public https link; or mailto: with the account's own address, for jobs and chains of 5 minutes and more",
});
const description = Type.String({ maxLength: 200, description: "The account's own note" });
const time = (what: string): ReturnType<typeof Type.String> => Type.String({ format: 'date-time', description: what });
const orNull = <S extends TSchema & { readonly type?: string }>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] });

const endpoint = {
  id: Type.String({ description: 'Identifier of the webhook' }),
  url: Type.String({ description: 'Where the events are sent' }),
  description,
  events,
  enabled: Type.Boolean({ description: 'Events go there' }),
  offReason: Type.Unsafe<WebhookEndpoint['offReason']>({
    enum: ['asked', 'failing', 'gone', null],
    description: 'Why it is off: asked for, every try failed for a day, or the server answered 410; null: it is on',
  }),
  failingSince: orNull(time('The first failure since the last success, ISO 8601; null: none')),
  createdAt: time('Time of creation, ISO 8601'),
};

export const WebhookSchema = Type.Object(endpoint, { $id: 'Webhook' });

export const WebhookList = Type.Object(
  {
    data: Type.Array(ref(WebhookSchema)),
    nextCursor: orNull(Type.String({ description: 'null: the list has one page' })),
  },
  { $id: 'WebhookList' },
);

export const WebhookWithSecret = Type.Object(
  {
    ...endpoint,
    secret: Type.String({ description: 'Checks the signatures (Standard Webhooks); shown in this answer only' }),
  },
  { $id: 'WebhookWithSecret' },
);

export const WebhookDeliverySchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the event: the header webhook-id, the same at every try' }),
    type: Type.Enum([...webhookEvents, 'webhook.test'], { description: 'What happened' }),
    subject: Type.String({ description: 'Identifier of the job, chain or file; of a test, its own' }),
    status: Type.Enum(['pending', 'delivered', 'failed'], {
      description: 'pending: to be tried at nextAt; failed: no try of a day was taken',
    }),
    tries: Type.Integer({ description: 'Tries so far' }),
    nextAt: orNull(time('The next try, ISO 8601; null: none')),
    triedAt: orNull(time('The last try, ISO 8601; null: none yet')),
    answerStatus: orNull(Type.Integer({ description: 'HTTP status of the last answer; null: there was none' })),
    answerMs: orNull(Type.Integer({ description: 'Milliseconds of the last try; null: none yet' })),
    answer: orNull(Type.String({ description: 'First bytes of the last answer, or why there was none' })),
    createdAt: time('When it happened, ISO 8601'),
  },
  { $id: 'WebhookDelivery' },
);

export const WebhookDeliveryList = Type.Object(
  {
    data: Type.Array(ref(WebhookDeliverySchema)),
    nextCursor: orNull(Type.String({ description: 'For the next page; null: this is the last' })),
  },
  { $id: 'WebhookDeliveryList' },
);

export const CreateWebhookRequest = Type.Object(
  { url, events: Type.Optional(events), description: Type.Optional(description) },
  { $id: 'CreateWebhookRequest', additionalProperties: false },
);

export const UpdateWebhookRequest = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(description),
    enabled: Type.Optional(Type.Boolean({ description: 'false: nothing is sent, and nothing is kept for later' })),
  },
  { $id: 'UpdateWebhookRequest', additionalProperties: false },
);

export const webhookComponents: readonly TSchema[] = [
  WebhookSchema,
  WebhookList,
  WebhookWithSecret,
  WebhookDeliverySchema,
  WebhookDeliveryList,
  CreateWebhookRequest,
  UpdateWebhookRequest,
];

export const webhookRecord = ({
  id,
  url,
  description,
  events,
  enabled,
  offReason,
  failingSince,
  createdAt,
}: WebhookEndpoint): Static<typeof WebhookSchema> => ({
  id,
  url,
  description,
  events: [...events],
  enabled,
  offReason,
  failingSince: failingSince?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

export const deliveryRecord = ({
  nextAt,
  triedAt,
  createdAt,
  ...rest
}: WebhookDelivery): Static<typeof WebhookDeliverySchema> => ({
  ...rest,
  nextAt: nextAt?.toISOString() ?? null,
  triedAt: triedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

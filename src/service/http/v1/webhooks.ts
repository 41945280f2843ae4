import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { accountOf } from '../server/context.ts';
import { answer, noContent, type Operation, operation } from '../interface/operation.ts';
import { pageOf, pageRequest } from '../interface/records.ts';
import { openPageQuery, ref } from '../interface/schemas.ts';
import {
  CreateWebhookRequest,
  deliveryRecord,
  UpdateWebhookRequest,
  WebhookDeliveryList,
  WebhookDeliverySchema,
  WebhookList,
  webhookRecord,
  WebhookSchema,
  WebhookWithSecret,
} from '../interface/webhook-schemas.ts';
import type { RouteDeps } from './deps.ts';

const params = Type.Object({
  id: Type.String({ maxLength: 100, pattern: '^hook_[0-9A-Za-z]+$', description: 'Webhook id' }),
});
const eventParams = Type.Object({
  ...params.properties,
  event: Type.String({ maxLength: 100, pattern: '^evt_[0-9A-Za-z]+$', description: 'Event id' }),
});
const DeliveriesQuery = Type.Object(openPageQuery, { additionalProperties: false });

type Params = { Params: Static<typeof params> };

/** An operation of webhooks, which the contract does not have. */
const ofWebhooks = (declared: Omit<Operation, 'tag' | 'access' | 'openPoint'>) =>
  operation({ ...declared, tag: 'Webhooks', access: 'account', openPoint: true });

/** Where an account's events go: /api/v1/webhooks. */
export function webhookRoutes(app: FastifyInstance, deps: RouteDeps): void {
  endpointRoutes(app, deps);
  deliveryRoutes(app, deps);
}

function endpointRoutes(app: FastifyInstance, { service: { webhooks } }: RouteDeps): void {
  app.route({
    method: 'GET',
    url: '/api/v1/webhooks',
    ...ofWebhooks({
      operationId: 'listWebhooks',
      summary: 'Webhooks, oldest first',
      answers: { 200: answer(ref(WebhookList), 'All webhooks of the account') },
    }),
    handler: async (request): Promise<Static<typeof WebhookList>> => ({
      data: (await webhooks.list(accountOf(request))).map(webhookRecord),
      nextCursor: null,
    }),
  });

  app.route<{ Body: Static<typeof CreateWebhookRequest> }>({
    method: 'POST',
    url: '/api/v1/webhooks',
    ...ofWebhooks({
      operationId: 'createWebhook',
      summary: 'Sends events to an address from now on',
      description: 'Signed by the Standard Webhooks scheme with the secret in the answer, which is shown only here.',
      body: CreateWebhookRequest,
      answers: { 201: answer(ref(WebhookWithSecret), 'The webhook and its secret') },
      errors: ['limit_exceeded'],
    }),
    handler: async (request, reply): Promise<Static<typeof WebhookWithSecret>> => {
      const { endpoint, secret } = await webhooks.create(accountOf(request), request.body);
      void reply.code(201);
      return { ...webhookRecord(endpoint), secret };
    },
  });

  app.route<Params>({
    method: 'GET',
    url: '/api/v1/webhooks/:id',
    ...ofWebhooks({
      operationId: 'getWebhook',
      summary: 'One webhook',
      params,
      answers: { 200: answer(ref(WebhookSchema), 'The webhook') },
      errors: ['not_found'],
    }),
    handler: async (request): Promise<Static<typeof WebhookSchema>> =>
      webhookRecord(await webhooks.get(accountOf(request), request.params.id)),
  });

  app.route<Params & { Body: Static<typeof UpdateWebhookRequest> }>({
    method: 'PATCH',
    url: '/api/v1/webhooks/:id',
    ...ofWebhooks({
      operationId: 'updateWebhook',
      summary: 'Changes address, events or note, or switches it on or off',
      params,
      body: UpdateWebhookRequest,
      answers: { 200: answer(ref(WebhookSchema), 'The webhook') },
      errors: ['not_found'],
    }),
    handler: async (request): Promise<Static<typeof WebhookSchema>> =>
      webhookRecord(await webhooks.update(accountOf(request), request.params.id, request.body)),
  });

  app.route<Params>({
    method: 'DELETE',
    url: '/api/v1/webhooks/:id',
    ...ofWebhooks({
      operationId: 'deleteWebhook',
      summary: 'Deletes it with its log',
      params,
      answers: { 204: noContent('Deleted') },
      errors: ['not_found'],
    }),
    handler: async (request, reply) => {
      await webhooks.remove(accountOf(request), request.params.id);
      return reply.code(204).send();
    },
  });

  app.route<Params>({
    method: 'POST',
    url: '/api/v1/webhooks/:id/secret',
    ...ofWebhooks({
      operationId: 'rotateWebhookSecret',
      summary: 'A new secret; the old one signs beside it for a day',
      params,
      answers: { 200: answer(ref(WebhookWithSecret), 'The webhook and its new secret') },
      errors: ['not_found'],
    }),
    handler: async (request): Promise<Static<typeof WebhookWithSecret>> => {
      const { endpoint, secret } = await webhooks.rotate(accountOf(request), request.params.id);
      return { ...webhookRecord(endpoint), secret };
    },
  });
}

function deliveryRoutes(app: FastifyInstance, { service: { webhooks } }: RouteDeps): void {
  app.route<Params>({
    method: 'POST',
    url: '/api/v1/webhooks/:id/test',
    ...ofWebhooks({
      operationId: 'testWebhook',
      summary: 'Sends an event of the type webhook.test',
      params,
      answers: { 201: answer(ref(WebhookDeliverySchema), 'The delivery') },
      errors: ['not_found', 'conflict'],
    }),
    handler: async (request, reply): Promise<Static<typeof WebhookDeliverySchema>> => {
      const delivery = await webhooks.test(accountOf(request), request.params.id);
      void reply.code(201);
      return deliveryRecord(delivery);
    },
  });

  app.route<Params & { Querystring: Static<typeof DeliveriesQuery> }>({
    method: 'GET',
    url: '/api/v1/webhooks/:id/deliveries',
    ...ofWebhooks({
      operationId: 'listWebhookDeliveries',
      summary: 'What was sent in the last seven days and what came of it, newest first',
      params,
      query: DeliveriesQuery,
      answers: { 200: answer(ref(WebhookDeliveryList), 'A page of deliveries') },
      errors: ['not_found'],
    }),
    handler: async (request): Promise<Static<typeof WebhookDeliveryList>> =>
      pageOf(
        await webhooks.deliveries(accountOf(request), request.params.id, pageRequest(request.query)),
        deliveryRecord,
      ),
  });

  app.route<{ Params: Static<typeof eventParams> }>({
    method: 'POST',
    url: '/api/v1/webhooks/:id/deliveries/:event/replay',
    ...ofWebhooks({
      operationId: 'replayWebhookDelivery',
      summary: 'Sends an event again, with a day of tries',
      params: eventParams,
      answers: { 200: answer(ref(WebhookDeliverySchema), 'The delivery') },
      errors: ['not_found', 'conflict'],
    }),
    handler: async (request): Promise<Static<typeof WebhookDeliverySchema>> =>
      deliveryRecord(await webhooks.replay(accountOf(request), request.params.id, request.params.event)),
  });
}

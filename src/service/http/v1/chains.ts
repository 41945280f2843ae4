import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import type { JsonObject } from '../../../library/core/json.ts';
import type { ChainPreset } from '../../rules/chains/chain-store.ts';
import type { Chains } from '../../rules/chains/chains.ts';
import type { ErrorCode } from '../../../library/core/errors/errors.ts';
import { accountOf } from '../server/context.ts';
import { chainOrder, chainRecord, chainRequest } from '../interface/chain-records.ts';
import {
  ChainList,
  ChainQuoteRecord,
  ChainQuoteRequest,
  ChainRecord,
  ChainRequestBody,
  PresetList,
  PresetRecord,
  RecipeList,
  SavePresetRequest,
} from '../interface/chain-schemas.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { followed } from './followed.ts';
import { IdempotencyHeader, jobBodyBytes } from './new-jobs.ts';
import { pageOf, pageRequest } from '../interface/records.ts';
import { openPageQuery, ref } from '../interface/schemas.ts';

const chainParams = Type.Object({
  id: Type.String({ maxLength: 100, pattern: '^chain_[0-9A-Za-z]+$', description: 'Chain id' }),
});
const ListQuery = Type.Object(openPageQuery, { additionalProperties: false });

const orderErrors: readonly ErrorCode[] = [
  'not_found',
  'file_not_ready',
  'file_invalid',
  'file_expired',
  'file_too_long',
  'wrong_file_type',
  'text_too_long',
  'no_audio',
  'ranges_outside',
  'tool_unavailable',
];
const createErrors: readonly ErrorCode[] = [
  ...orderErrors,
  'idempotency_key_reused',
  'insufficient_balance',
  'over_spending_cap',
  'limit_exceeded',
];

const shared = { tag: 'Chains', access: 'account', openPoint: true } as const;

/** Several tools as one, an addition to the contract: POST /api/v1/chains, and what it would cost. */
export function newChainRoutes(app: FastifyInstance, { service }: RouteDeps): void {
  const { chains } = service;

  app.route<{ Body: Static<typeof ChainRequestBody> }>({
    method: 'POST',
    url: '/api/v1/chains',
    ...operation({
      ...shared,
      operationId: 'createChain',
      summary: 'Starts several tools one after the other',
      description:
        'The price of all steps is reserved now; what they processed is charged at the end. The same idempotency key ' +
        'with the same request returns the same chain.',
      headers: IdempotencyHeader,
      body: ChainRequestBody,
      bodyLimit: jobBodyBytes,
      answers: { 201: answer(ref(ChainRecord), 'The chain') },
      errors: createErrors,
    }),
    handler: async (request, reply): Promise<Static<typeof ChainRecord>> => {
      const headerKey = request.headers['idempotency-key'];
      const wanted = chainRequest(request.body, typeof headerKey === 'string' ? headerKey : null);
      const view = await chains.create(accountOf(request), wanted);
      void reply.code(201);
      return chainRecord(view, service.tools);
    },
  });

  app.route<{ Body: Static<typeof ChainQuoteRequest> }>({
    method: 'POST',
    url: '/api/v1/chains/quote',
    ...operation({
      ...shared,
      operationId: 'quoteChain',
      summary: 'What a chain costs at most, by step; starts nothing',
      body: ChainQuoteRequest,
      bodyLimit: jobBodyBytes,
      answers: { 200: answer(ref(ChainQuoteRecord), 'The price') },
      errors: orderErrors,
    }),
    handler: async (request): Promise<Static<typeof ChainQuoteRecord>> => {
      const { name, credits, steps } = await chains.quote(accountOf(request), chainOrder(request.body));
      return { name, credits, steps: [...steps] };
    },
  });
}

/** Chains that exist, and those that come with Earshot. */
export function chainRoutes(app: FastifyInstance, { service, streams }: RouteDeps): void {
  const { chains } = service;

  app.route({
    method: 'GET',
    url: '/api/v1/chains/recipes',
    ...operation({
      ...shared,
      operationId: 'listRecipes',
      summary: 'The chains that come with Earshot',
      answers: { 200: answer(ref(RecipeList), 'Recipes with their options') },
    }),
    handler: (): Promise<Static<typeof RecipeList>> =>
      Promise.resolve({ data: chains.recipes.map((recipe) => ({ ...recipe, options: { ...recipe.options } })) }),
  });

  presetRoutes(app, chains);

  app.route<{ Querystring: Static<typeof ListQuery> }>({
    method: 'GET',
    url: '/api/v1/chains',
    ...operation({
      ...shared,
      operationId: 'listChains',
      summary: 'Chains, newest first',
      query: ListQuery,
      answers: { 200: answer(ref(ChainList), 'A page of chains') },
    }),
    handler: async (request): Promise<Static<typeof ChainList>> => {
      const page = await chains.list(accountOf(request), pageRequest(request.query));
      return pageOf(page, (view) => chainRecord(view, service.tools));
    },
  });

  app.route<{ Params: Static<typeof chainParams> }>({
    method: 'GET',
    url: '/api/v1/chains/:id',
    ...operation({
      ...shared,
      operationId: 'getChain',
      summary: 'Status, progress, steps and outputs',
      params: chainParams,
      answers: { 200: answer(ref(ChainRecord), 'The chain') },
      errors: ['not_found'],
    }),
    handler: async (request): Promise<Static<typeof ChainRecord>> =>
      chainRecord(await chains.get(accountOf(request), request.params.id), service.tools),
  });

  app.route<{ Params: Static<typeof chainParams> }>({
    method: 'GET',
    url: '/api/v1/chains/:id/events',
    exposeHeadRoute: false,
    ...operation({
      ...shared,
      operationId: 'followChain',
      ...followed('chain'),
      params: chainParams,
    }),
    handler: (request, reply) => {
      const account = accountOf(request);
      return streams.open(request, reply, account.id, (say) =>
        chains.follow(account, request.params.id, (view, final) =>
          say(view === null ? null : chainRecord(view, service.tools), final),
        ),
      );
    },
  });

  app.route<{ Params: Static<typeof chainParams> }>({
    method: 'POST',
    url: '/api/v1/chains/:id/cancel',
    ...operation({
      ...shared,
      operationId: 'cancelChain',
      summary: 'Cancels a chain that has not finished',
      params: chainParams,
      answers: { 200: answer(ref(ChainRecord), 'The chain') },
      errors: ['not_found', 'job_not_cancellable'],
    }),
    handler: async (request): Promise<Static<typeof ChainRecord>> =>
      chainRecord(await chains.cancel(accountOf(request), request.params.id), service.tools),
  });
}

const presetParams = Type.Object({ name: Type.String({ maxLength: 40, description: 'Of the preset' }) });
const presetRecord = ({ name, chain, createdAt }: ChainPreset): Static<typeof PresetRecord> => ({
  name,
  chain,
  createdAt: createdAt.toISOString(),
});

/** Chains that the account saved with a name. */
function presetRoutes(app: FastifyInstance, chains: Chains): void {
  app.route({
    method: 'GET',
    url: '/api/v1/chains/presets',
    ...operation({
      ...shared,
      operationId: 'listPresets',
      summary: "The account's own chains, by name",
      answers: { 200: answer(ref(PresetList), 'Presets with their steps') },
    }),
    handler: async (request): Promise<Static<typeof PresetList>> => ({
      data: (await chains.presets(accountOf(request))).map(presetRecord),
    }),
  });

  app.route<{ Params: Static<typeof presetParams>; Body: Static<typeof SavePresetRequest> }>({
    method: 'PUT',
    url: '/api/v1/chains/presets/:name',
    ...operation({
      ...shared,
      operationId: 'savePreset',
      summary: 'Saves a chain under a name, which POST /api/v1/chains takes as recipe; replaces one of that name',
      params: presetParams,
      body: SavePresetRequest,
      bodyLimit: jobBodyBytes,
      answers: { 200: answer(ref(PresetRecord), 'The preset') },
      errors: ['limit_exceeded'],
    }),
    handler: async (request): Promise<Static<typeof PresetRecord>> =>
      presetRecord(
        await chains.savePreset(accountOf(request), request.params.name, request.body.chain as unknown as JsonObject),
      ),
  });

  app.route<{ Params: Static<typeof presetParams> }>({
    method: 'DELETE',
    url: '/api/v1/chains/presets/:name',
    ...operation({
      ...shared,
      operationId: 'deletePreset',
      summary: 'Deletes a preset; chains that run go on',
      params: presetParams,
      answers: { 204: Type.Null({ description: 'It is gone' }) },
      errors: ['not_found'],
    }),
    handler: async (request, reply) => {
      await chains.removePreset(accountOf(request), request.params.name);
      return reply.code(204).send();
    },
  });
}

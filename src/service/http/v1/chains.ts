import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import type { ErrorCode } from '../../../library/core/errors/errors.ts';
import { accountOf } from '../server/context.ts';
import { chainOrder, chainRecord, chainRequest } from '../interface/chain-records.ts';
import {
  ChainList,
  ChainQuoteRecord,
  ChainQuoteRequest,
  ChainRecord,
  ChainRequestBody,
  RecipeList,
} from '../interface/chain-schemas.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
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
export function chainRoutes(app: FastifyInstance, { service }: RouteDeps): void {
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

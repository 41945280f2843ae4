import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { accountOf } from '../server/context.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { accountRecord, autoRefillRecord, ledgerEntry, pageOf, pageRequest } from '../interface/records.ts';
import { AccountSchema, AutoRefillSchema, LedgerList, openPageQuery, ref } from '../interface/schemas.ts';

const LedgerQuery = Type.Object(openPageQuery, { additionalProperties: false });

/** GET /api/v1/account, /ledger and /auto-refill. */
export function accountRoutes(app: FastifyInstance, { service }: RouteDeps): void {
  app.route({
    method: 'GET',
    url: '/api/v1/account',
    ...operation({
      operationId: 'getAccount',
      summary: 'Balance, free uses left today, prices and limits',
      tag: 'Account',
      access: 'account',
      answers: { 200: answer(ref(AccountSchema), 'The account') },
    }),
    handler: async (request): Promise<Static<typeof AccountSchema>> =>
      accountRecord(await service.accounts.view(accountOf(request))),
  });

  app.route<{ Querystring: Static<typeof LedgerQuery> }>({
    method: 'GET',
    url: '/api/v1/ledger',
    ...operation({
      operationId: 'listLedger',
      summary: 'All changes of the balance, newest first',
      tag: 'Account',
      access: 'account',
      query: LedgerQuery,
      answers: { 200: answer(ref(LedgerList), 'A page of entries') },
    }),
    handler: async (request): Promise<Static<typeof LedgerList>> =>
      pageOf(await service.accounts.ledger(accountOf(request), pageRequest(request.query)), ledgerEntry),
  });

  app.route({
    method: 'GET',
    url: '/api/v1/auto-refill',
    ...operation({
      operationId: 'getAutoRefill',
      summary: 'Settings of auto-refill; they can only be changed on the website',
      tag: 'Account',
      access: 'account',
      answers: { 200: answer(ref(AutoRefillSchema), 'The settings') },
    }),
    handler: (request): Promise<Static<typeof AutoRefillSchema>> =>
      Promise.resolve(autoRefillRecord(accountOf(request))),
  });
}

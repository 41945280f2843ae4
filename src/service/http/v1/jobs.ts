import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { accountOf } from '../server/context.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { followed } from './followed.ts';
import { jobRecord, pageOf, pageRequest } from '../interface/records.ts';
import { JobList, JobRecord, openPageQuery, ref, toolId } from '../interface/schemas.ts';

const jobParams = Type.Object({
  id: Type.String({ maxLength: 100, pattern: '^job_[0-9A-Za-z]+$', description: 'Job id' }),
});
const ListQuery = Type.Object({ tool: Type.Optional(toolId), ...openPageQuery }, { additionalProperties: false });
/** Jobs that exist: /api/v1/jobs. */
export function jobRoutes(app: FastifyInstance, { service, streams }: RouteDeps): void {
  const { jobs } = service;

  app.route<{ Querystring: Static<typeof ListQuery> }>({
    method: 'GET',
    url: '/api/v1/jobs',
    ...operation({
      operationId: 'listJobs',
      summary: 'Jobs, newest first',
      tag: 'Jobs',
      access: 'account',
      query: ListQuery,
      answers: { 200: answer(ref(JobList), 'A page of jobs') },
    }),
    handler: async (request): Promise<Static<typeof JobList>> => {
      const page = await jobs.list(
        accountOf(request),
        { tool: request.query.tool ?? null },
        pageRequest(request.query),
      );
      return pageOf(page, (view) => jobRecord(view, service.tools));
    },
  });

  app.route<{ Params: Static<typeof jobParams> }>({
    method: 'GET',
    url: '/api/v1/jobs/:id',
    ...operation({
      operationId: 'getJob',
      summary: 'Status, progress and outputs',
      tag: 'Jobs',
      access: 'account',
      params: jobParams,
      answers: { 200: answer(ref(JobRecord), 'The job') },
      errors: ['not_found'],
    }),
    handler: async (request): Promise<Static<typeof JobRecord>> =>
      jobRecord(await jobs.get(accountOf(request), request.params.id), service.tools),
  });

  app.route<{ Params: Static<typeof jobParams> }>({
    method: 'GET',
    url: '/api/v1/jobs/:id/events',
    exposeHeadRoute: false,
    ...operation({
      operationId: 'followJob',
      ...followed('job'),
      tag: 'Jobs',
      access: 'account',
      openPoint: true,
      params: jobParams,
    }),
    handler: (request, reply) => {
      const account = accountOf(request);
      return streams.open(request, reply, account.id, (say) =>
        jobs.follow(account, request.params.id, (view, final) =>
          say(view === null ? null : jobRecord(view, service.tools), final),
        ),
      );
    },
  });

  app.route<{ Params: Static<typeof jobParams> }>({
    method: 'POST',
    url: '/api/v1/jobs/:id/cancel',
    ...operation({
      operationId: 'cancelJob',
      summary: 'Cancels a job that has not finished',
      tag: 'Jobs',
      access: 'account',
      params: jobParams,
      answers: { 200: answer(ref(JobRecord), 'The job') },
      errors: ['not_found', 'job_not_cancellable'],
    }),
    handler: async (request): Promise<Static<typeof JobRecord>> =>
      jobRecord(await jobs.cancel(accountOf(request), request.params.id), service.tools),
  });
}

import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static, TSchema } from 'typebox/type';
import type { ErrorCode } from '../../../library/core/errors.ts';
import type { AnyTool } from '../../../library/tools/declare/define.ts';
import { restBodySchema, splitJobBody } from '../../../library/tools/rest-body.ts';
import { accountOf } from '../server/context.ts';
import { createEventStreams } from '../server/events.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { jobRecord, pageOf, pageRequest } from '../interface/records.ts';
import { JobList, JobRecord, openPageQuery, ref, toolId } from '../interface/schemas.ts';

const jobParams = Type.Object({
  id: Type.String({ maxLength: 100, pattern: '^job_[0-9A-Za-z]+$', description: 'Job id' }),
});
const ListQuery = Type.Object({ tool: Type.Optional(toolId), ...openPageQuery }, { additionalProperties: false });
const IdempotencyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Replaces the body field idempotency_key' }),
  ),
});

/** Script text of 2 MiB characters, each of which JSON may write in six bytes, and the rest of the body. */
const jobBodyBytes = 6 * 2 * 1024 * 1024 + 3 * 1024 * 1024;

const createErrors: readonly ErrorCode[] = [
  'idempotency_key_reused',
  'insufficient_balance',
  'over_spending_cap',
  'free_limit_reached',
  'free_disabled',
  'not_found',
  'file_not_ready',
  'file_invalid',
  'file_expired',
  'file_too_long',
  'unsupported_format',
  'wrong_file_type',
  'text_too_long',
  'no_audio',
  'ranges_outside',
  'limit_exceeded',
  'tool_unavailable',
];

/** remove_noise -> RemoveNoiseJob */
const bodySchemaId = (tool: AnyTool): string =>
  `${tool.id.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Job`;

/** The bodies of the tools' jobs as shared schemas. */
export const jobInputSchemas = (tools: readonly AnyTool[]): readonly object[] =>
  tools.map((tool) => ({ ...restBodySchema(tool), $id: bodySchemaId(tool) }));

const jobBody = (tools: readonly AnyTool[]): TSchema =>
  Type.Unsafe({
    oneOf: tools.map((tool) => ({ $ref: `${bodySchemaId(tool)}#` })),
    discriminator: {
      propertyName: 'tool',
      mapping: Object.fromEntries(tools.map((tool) => [tool.id, `#/components/schemas/${bodySchemaId(tool)}`])),
    },
  });

/** /api/v1/jobs */
export function jobRoutes(app: FastifyInstance, { service, config, tools, closing }: RouteDeps): void {
  const { jobs } = service;
  const streams = createEventStreams(config.accountSockets, closing);

  app.route<{ Body: unknown }>({
    method: 'POST',
    url: '/api/v1/jobs',
    ...operation({
      operationId: 'createJob',
      summary: 'Starts a tool',
      description:
        'The price is reserved now and charged only if the job succeeds. The same idempotency key with the same ' +
        'request returns the same job.',
      tag: 'Jobs',
      access: 'account',
      headers: IdempotencyHeader,
      body: jobBody(tools),
      bodyLimit: jobBodyBytes,
      answers: { 201: answer(ref(JobRecord), 'The job') },
      errors: createErrors,
    }),
    handler: async (request, reply): Promise<Static<typeof JobRecord>> => {
      const headerKey = request.headers['idempotency-key'];
      const wanted = splitJobBody(request.body, typeof headerKey === 'string' ? headerKey : null, tools);
      const view = await jobs.create(accountOf(request), wanted);
      void reply.code(201);
      return jobRecord(view, service.tools);
    },
  });

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
      summary: 'The job, now and at every change, as server-sent events',
      description:
        'Each event is the whole job record; the last one has its final status, and the stream ends. After a reconnect ' +
        'with Last-Event-ID, the current record is sent.',
      tag: 'Jobs',
      access: 'account',
      openPoint: true,
      params: jobParams,
      answers: {
        200: Type.Unsafe({
          description: 'A stream of events: data is a job record',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        }),
        204: Type.Null({ description: 'Last-Event-ID was the final event' }),
      },
      errors: ['not_found'],
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

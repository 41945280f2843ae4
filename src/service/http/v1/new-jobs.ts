import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static, TSchema } from 'typebox/type';
import type { ErrorCode } from '../../../library/core/errors/errors.ts';
import type { OfferedTool } from '../../offers/offers.ts';
import { plainBodySchema, splitJobBody } from '../interface/rest-body.ts';
import { accountOf } from '../server/context.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { jobRecord } from '../interface/records.ts';
import { JobRecord, ref } from '../interface/schemas.ts';

/** The key as a header. */
export const IdempotencyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Replaces the body field idempotency_key' }),
  ),
});

/** Script text of 2 MiB characters, each of which JSON may write in six bytes, and the rest of the body. */
export const jobBodyBytes = 6 * 2 * 1024 * 1024 + 3 * 1024 * 1024;

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
const bodySchemaId = (tool: OfferedTool): string =>
  `${tool.id.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Job`;

/** The bodies of the tools' jobs as shared schemas. */
export const jobInputSchemas = (tools: readonly OfferedTool[]): readonly object[] =>
  tools.map((tool) => ({ ...plainBodySchema(tool), $id: bodySchemaId(tool) }));

const jobBody = (tools: readonly OfferedTool[]): TSchema =>
  Type.Unsafe({
    oneOf: tools.map((tool) => ({ $ref: `${bodySchemaId(tool)}#` })),
    discriminator: {
      propertyName: 'tool',
      mapping: Object.fromEntries(tools.map((tool) => [tool.id, `#/components/schemas/${bodySchemaId(tool)}`])),
    },
  });

/** POST /api/v1/jobs */
export function newJobRoute(app: FastifyInstance, { service, tools }: RouteDeps): void {
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
      const view = await service.jobs.create(accountOf(request), wanted);
      void reply.code(201);
      return jobRecord(view, service.tools);
    },
  });
}

import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Described } from '../interface/described.ts';
import { addExamples } from '../interface/examples.ts';
import { rateLimitHeaders, windowSeconds } from '../server/rate-limit.ts';

type Json = Record<string, unknown>;

export const openapiPath = '/api/openapi.json';

const quoted = (header: string): string => header.replaceAll('"', '\\"');
const example = rateLimitHeaders({ allowed: true, quota: 600, remaining: 599, resetSeconds: 60 });

const headerComponents = {
  'RateLimit-Policy': {
    description:
      `Allowed requests (q) in a window of w = ${windowSeconds} seconds, such as ` +
      quoted(example['ratelimit-policy']),
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'Remaining requests (r) and seconds until the window ends (t), such as ' + quoted(example.ratelimit),
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds after which to try again', schema: { type: 'integer' } },
};

/**
 * Collects the schemas of all routes that are registered after it.
 * @param serverUrl base of all paths: an absolute URL, or a path on the document's own host
 */
export async function describeApi(
  app: FastifyInstance,
  serverUrl: string,
  beside: readonly Described[],
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Earshot',
        version: '1.0.0',
        description:
          'Audio and video processing: upload a file, start a job, poll it, download the output. Properties, ' +
          'parameters and paths with x-open-point may change.',
      },
      servers: [{ url: serverUrl }],
      tags: [
        'Tools and pricing',
        'Account',
        'Files',
        'Jobs',
        'Chains',
        'Webhooks',
        'Voices',
        'Upload page',
        'File links',
        ...beside.flatMap(({ tags }) => tags),
      ].map((name) => ({ name })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key (svc_sk_...) or an OAuth access token' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Secure-svc.session_token',
            description: 'A session of the website',
          },
        },
      },
    },
    stripBasePath: false,
    convertConstToEnum: false,
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json['$id'] === 'string' ? json['$id'] : `def-${index}`,
    },
    transform: ({ schema, url, route }) => ({ schema: withBody(schema, route.config?.rawBody === true), url }),
    transformObject: (document) =>
      finish('openapiObject' in document ? (document.openapiObject as unknown as Json) : {}, beside) as never,
  });
}

/**
 * Leaves out "additionalProperties": false. A generator of clients (openapi-generator's typescript-fetch) reads it as
 * its opposite and sends every field under its own name, too. The service refuses unknown fields anyway, and says so.
 */
const withoutClosing = (name: string, value: unknown): unknown =>
  name === 'additionalProperties' && value === false ? undefined : value;

/** GET /api/openapi.json. The document is generated once. */
export function openapiRoute(app: FastifyInstance): void {
  let text: string | undefined;
  app.get(openapiPath, { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) => {
    text ??= JSON.stringify(app.swagger(), withoutClosing);
    return reply.type('application/json; charset=utf-8').header('cache-control', 'public, max-age=300').send(text);
  });
}

function withBody(schema: FastifySchema, raw: boolean): FastifySchema {
  if (raw)
    return {
      ...schema,
      body: { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } },
    };
  const { $id } = (schema.body ?? {}) as { $id?: string };
  return $id === undefined ? schema : { ...schema, body: { $ref: `${$id}#` } };
}

/** Adds headers, examples and open points, which the generator does not support. */
function finish(document: Json, beside: readonly Described[]): Json {
  const components = document['components'] as Json;
  components['headers'] = headerComponents;
  const schemas = components['schemas'] as Record<string, Json>;
  for (const other of beside) {
    Object.assign(schemas, structuredClone(other.schemas));
    Object.assign(document['paths'] as Json, structuredClone(other.paths));
  }
  for (const path of Object.values(document['paths'] as Record<string, Record<string, Json>>)) {
    const operations = Object.values(path);
    for (const operation of operations) {
      for (const parameter of (operation['parameters'] ?? []) as { schema?: Json; 'x-open-point'?: unknown }[]) {
        if (parameter.schema?.['x-open-point'] !== true) continue;
        delete parameter.schema['x-open-point'];
        parameter['x-open-point'] = true;
      }
      for (const [status, response] of Object.entries(operation['responses'] as Record<string, Json>)) {
        const names = ['RateLimit-Policy', 'RateLimit', ...(['429', '503'].includes(status) ? ['Retry-After'] : [])];
        response['headers'] = {
          ...(response['headers'] as Json | undefined),
          ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
        };
      }
      const body = operation['requestBody'] as
        | { required: boolean; content: Record<string, { schema: { $ref?: string } }> }
        | undefined;
      const named = body?.content['application/json']?.schema.$ref?.split('/').at(-1);
      if (body !== undefined && named !== undefined)
        body.required = ((schemas[named]?.['required'] ?? []) as string[]).length > 0;
      addExamples(operation, schemas);
    }
    if (operations.every((operation) => operation['x-open-point'] === true))
      Object.assign(path, { 'x-open-point': true });
  }
  return document;
}

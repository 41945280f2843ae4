import type { ErrorCode } from '../../../library/core/errors/errors.ts';
import type { OfferedTool } from '../../offers/offers.ts';
import { plainBodySchema } from '../interface/rest-body.ts';
import type { Described } from '../interface/described.ts';
import { JobRecord } from '../interface/schemas.ts';
import { boundStatus, statusByCode } from '../server/errors.ts';
import { type FileField, formOf, type ToolForm } from '../interface/tool-form.ts';

type Json = Record<string, unknown>;

const openPoint = { 'x-open-point': true };
const tag = 'Free API';

/** Fields shown in the contract; all others are open points. */
const shownFields = new Set(['file', 'url', 'video', 'video_url', 'audio', 'audio_url', 'script']);

const runErrors: readonly ErrorCode[] = [
  'bad_request',
  'unauthorized',
  'insufficient_balance',
  'over_spending_cap',
  'free_disabled',
  'conflict',
  'idempotency_key_reused',
  'file_expired',
  'file_too_large',
  'unsupported_format',
  'wrong_file_type',
  'file_invalid',
  'file_too_long',
  'text_too_long',
  'no_audio',
  'ranges_outside',
  'fetch_failed',
  'free_limit_reached',
  'free_budget_exhausted',
  'limit_exceeded',
  'upload_limit_reached',
  'rate_limited',
  'internal_error',
  'tool_unavailable',
];
/** A job that reaches a limit of memory, time or disk also fails with limit_exceeded. */
const boundErrors = [[boundStatus, 'limit_exceeded']] as const;
const linkErrors: readonly ErrorCode[] = ['bad_request', 'not_found', 'file_expired', 'rate_limited', 'internal_error'];

/** Paths and schemas, derived from the tools' declarations. */
export function describeTry(tools: readonly OfferedTool[]): Described {
  return {
    paths: {
      ...Object.fromEntries(tools.map((tool) => [`/api/try/${tool.slug}`, { post: operationOf(tool) }])),
      '/api/try/jobs/{id}': { get: statusOperation },
      '/api/try/jobs/{id}/events': { get: { ...eventsOperation, ...openPoint } },
      '/api/try': { get: { ...leftOperation, ...openPoint } },
    },
    schemas: { FreeRun: freeRunSchema(), FreeUses: freeUsesSchema },
    tags: [tag],
  };
}

function operationOf(tool: OfferedTool): Json {
  const form = formOf(tool);
  const options = optionSchemas(form);
  const keyed = {
    free: { type: 'boolean', description: 'Only with an API key' },
    max_credits: { type: 'integer', minimum: 1, description: 'Only with an API key' },
  };
  const format =
    form.formats.length === 0
      ? {}
      : {
          format: { type: 'string', enum: form.formats, default: form.formats[0], description: 'Format of the result' },
        };
  const asForm = form.files.map((field) => [field.name, fileSchema(field)] as const);
  const asJson = form.files.filter(({ link }) => link).map((field) => [field.name, fileSchema(field)] as const);
  const lists = Object.entries(options).filter(([, schema]) => schema['type'] === 'array');
  return {
    operationId: `try${tool.id.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: `${tool.title}: the result of the first part of a file, without an account`,
    description: tool.description,
    tags: [tag],
    security: [{}, { bearer: [] }],
    parameters: [
      {
        name: 'Prefer',
        in: 'header',
        required: false,
        schema: { type: 'string' },
        description: 'respond-async: responds with 202 as soon as the upload is checked',
      },
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        schema: { type: 'string', minLength: 1, maxLength: 200 },
        description: 'A repeated request returns the same job',
      },
    ],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { ...Object.fromEntries(asForm), ...options, ...format, ...keyed },
            additionalProperties: false,
          },
          ...(lists.length === 0
            ? {}
            : { encoding: Object.fromEntries(lists.map(([name]) => [name, { contentType: 'application/json' }])) }),
        },
        'application/json': {
          schema: {
            type: 'object',
            description: 'When every input is a link',
            properties: { ...Object.fromEntries(asJson), ...options, ...format, ...keyed },
            additionalProperties: false,
          },
        },
        'application/octet-stream': {
          schema: {
            type: 'string',
            format: 'binary',
            description: 'The file itself, of any type, with options, links of further files and filename in the query',
            ...openPoint,
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The result itself, or JSON with a link to each of several outputs',
        headers: runHeaders,
        content: {
          'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
          'application/json': { schema: {} },
        },
      },
      202: {
        description: 'Still running: poll the status link',
        headers: runHeaders,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/FreeRun' } } },
      },
      ...errorAnswers(runErrors, boundErrors),
    },
  };
}

const header = (type: string, description: string): Json => ({ description, schema: { type } });
const runHeaders = {
  'Svc-Processed-Seconds': header('number', 'Seconds of the file that were processed'),
  'Svc-Full-Price-Credits': header('integer', 'Price of the whole file'),
  'Svc-Finish-Url': header('string', 'For a result cut short: the page to pay for the whole file'),
  'Svc-Finish-Price-Credits': header(
    'integer',
    'For a result cut short: the price of the whole file, at least the minimum payment',
  ),
};

const statusOperation: Json = {
  operationId: 'getFreeRun',
  summary: 'Status of a run; the link works for an hour',
  tags: [tag],
  security: [],
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'Job id' },
    { name: 't', in: 'query', required: true, schema: { type: 'string' }, description: 'Token of the link' },
  ],
  responses: {
    200: {
      description: 'The run',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/FreeRun' } } },
    },
    ...errorAnswers(linkErrors),
  },
};

const eventsOperation: Json = {
  ...statusOperation,
  operationId: 'followFreeRun',
  summary:
    'The run, now and at every change, as server-sent events; also on the status link with Accept: text/event-stream',
  responses: {
    200: {
      description: 'A stream of events: data is a FreeRun; it ends with the final status',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    204: { description: 'Last-Event-ID was the final event' },
    ...errorAnswers(linkErrors),
  },
};

const leftOperation: Json = {
  operationId: 'getFreeUses',
  summary: "Today's remaining free uses",
  tags: [tag],
  security: [{}, { bearer: [] }],
  responses: {
    200: {
      description: 'Remaining free uses by tool, the limits, and the runs that wait for a payment',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/FreeUses' } } },
    },
    ...errorAnswers(['unauthorized', 'rate_limited', 'internal_error']),
  },
};

/** An object with required fields. */
const allOf = (properties: Record<string, Json>, more: Json = {}): Json => ({
  type: 'object',
  ...more,
  properties,
  required: Object.keys(properties),
});
const time = { type: 'string', format: 'date-time' };

const freeUsesSchema = allOf(
  {
    tools: {
      type: 'array',
      items: allOf({
        tool: { type: 'string' },
        slug: { type: 'string' },
        dailyUses: { type: 'integer' },
        usesLeft: { type: 'integer' },
        seconds: { type: ['number', 'null'], description: 'Seconds of a file that one use processes; null: all of it' },
        resetsAt: time,
      }),
    },
    limits: allOf({
      requestBytes: { type: 'integer', description: 'Bytes of all files of one request' },
      uploads: { type: 'integer', description: 'Concurrent uploads' },
      waiting: { type: 'integer', description: 'Runs that may wait for a payment' },
      waitSeconds: { type: 'number', description: 'How long a request waits for its result' },
    }),
    waiting: {
      type: 'array',
      items: allOf({
        jobId: { type: 'string' },
        tool: { type: 'string' },
        finishPriceCredits: { type: 'integer' },
        createdAt: time,
        expiresAt: time,
      }),
    },
  },
  { description: "A visitor's remaining free uses of today", ...openPoint },
);

function errorAnswers(codes: readonly ErrorCode[], more: readonly (readonly [number, ErrorCode])[] = []): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const [status, code] of [...codes.map((code) => [statusByCode[code], code] as const), ...more])
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      {
        description: names.join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

function fileSchema({ name, role, link }: FileField): Json {
  const one = link
    ? { type: 'string', maxLength: 4000, description: `${role.title}: a public https link` }
    : { type: 'string', format: 'binary', description: role.title };
  const marked = shownFields.has(name) ? {} : openPoint;
  return role.multiple ? { type: 'array', maxItems: role.max, items: one, ...marked } : { ...one, ...marked };
}

/** The tool's options as in REST, but settings of tracks without file ids. */
function optionSchemas({ tool, options }: ToolForm): Record<string, Json> {
  const { properties } = plainBodySchema(tool) as { readonly properties: Record<string, Json> };
  return Object.fromEntries(
    options.flatMap((name): [string, Json][] => {
      const schema = properties[name];
      if (schema === undefined) return [];
      const itemKey = tool.inputs[name]?.itemKey;
      if (itemKey === undefined) return [[name, schema]];
      const items = schema['items'] as { readonly properties: Json; readonly required?: readonly string[] };
      const { [itemKey]: _id, ...own } = items.properties;
      return [[name, { ...schema, items: { ...items, properties: own, required: [] } }]];
    }),
  );
}

function freeRunSchema(): Json {
  const { properties, required } = JSON.parse(
    JSON.stringify(JobRecord).replaceAll(/"\$ref":"(\w+)#"/g, '"$ref":"#/components/schemas/$1"'),
  ) as { properties: Record<string, Json>; required: string[] };
  return {
    type: 'object',
    description: 'A run of the free API: the job record with links',
    properties: {
      ...properties,
      outputs: {
        type: 'array',
        items: {
          allOf: [
            { $ref: '#/components/schemas/File' },
            {
              type: 'object',
              properties: { url: { type: 'string', description: 'The bytes', ...openPoint } },
              required: ['url'],
            },
          ],
        },
      },
      finishedBy: {
        description: 'The whole-file job, once it is paid',
        anyOf: [
          {
            type: 'object',
            properties: { jobId: { type: 'string' }, statusUrl: { type: 'string' } },
            required: ['jobId', 'statusUrl'],
          },
          { type: 'null' },
        ],
      },
      statusUrl: { type: 'string', description: 'The status link' },
      finishUrl: { type: 'string', description: 'Page to pay for the whole file' },
      finishPriceCredits: { type: 'integer', description: 'Price of the whole file, at least the minimum payment' },
      nextStep: { type: 'string', description: 'How to get the whole result' },
    },
    required: [...required, 'statusUrl'],
  };
}

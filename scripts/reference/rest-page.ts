// docs/reference/rest-api.md: every operation with its parameters, body, answers, errors and an example in three
// languages.
import type { OptionSchema } from '../../src/library/core/checks/schema.ts';
import { defaultOf, code, expected, fenced, madeBy, table } from './markdown.ts';
import { type DocumentSchema, type OpenapiDocument, operationsOf, type PlacedOperation } from './openapi-document.ts';
import { examplesOf, preambles } from './rest-examples.ts';

const nameOf = ({ $ref = '' }: DocumentSchema): string => $ref.split('/').at(-1) ?? '';

/** Of a field in a table; records have a heading of their own. */
function kindOf(schema: DocumentSchema): string {
  if (schema.$ref !== undefined) return link(nameOf(schema));
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(' or ');
  if (schema.enum)
    return schema.enum.length > 20
      ? 'code of [errors.md](errors.md)'
      : schema.enum.map((each) => code(String(each))).join(', ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const).replaceAll('"', ''));
  const [type, ...others] = [schema.type ?? 'any value'].flat();
  const own = type === 'array' ? `list of ${kindOf(schema.items ?? {})}` : (type ?? '');
  return [own, ...others].join(' or ');
}

const link = (name: string): string => `[${name}](#${name.toLowerCase()})`;

const fieldRows = ({ properties = {}, required = [] }: DocumentSchema): string[][] =>
  Object.entries(properties).map(([name, schema]) => [
    code(name) + (required.includes(name) ? '' : ' (optional)'),
    kindOf(schema),
    schema.description ?? '',
  ]);

function bodySection({ operation: { requestBody } }: PlacedOperation, document: OpenapiDocument): string[] {
  const content = requestBody?.content;
  if (content === undefined) return [];
  // A tool of the free API takes bytes, too, beside its form.
  if (content['application/octet-stream'] && !content['multipart/form-data']) return ['**Body**: the bytes.'];
  const form = content['multipart/form-data'];
  const json = content['application/json'];
  const schema = form?.schema ?? json?.schema ?? {};
  if (schema.oneOf)
    return [
      '**Body**: `tool` and that tool’s inputs, in [tools.md](tools.md), with `idempotency_key`, `max_credits` ' +
        'and `free`.',
    ];
  const { properties = {}, required = [] } = schema.$ref ? (document.components.schemas[nameOf(schema)] ?? {}) : schema;
  const rows = Object.entries(properties).map(([name, each]) => [
    code(name) + (required.includes(name) ? ' *' : ''),
    each.format === 'binary' ? 'file' : expected(each as OptionSchema),
    defaultOf(each as OptionSchema),
    each.description ?? each.items?.description ?? '',
  ]);
  const words = form
    ? '**Form** (multipart/form-data), or JSON with the same fields when every input is a link:'
    : '**Body** (JSON; * must be there):';
  return [words, table(['Field', 'Value', 'Default', 'Meaning'], rows)];
}

function section(placed: PlacedOperation, document: OpenapiDocument): string {
  const { method, path, operation } = placed;
  const { operationId, summary, description, parameters = [], responses, security = [] } = operation;
  const examples = examplesOf(placed);
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const bad = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  const credential =
    security.length === 0
      ? path.includes('{token}') || path.includes('/jobs/{id}')
        ? 'The link is the credential.'
        : 'Needs no credentials.'
      : security.some((each) => Object.keys(each).length === 0)
        ? 'Needs no credentials; takes an API key.'
        : 'Needs an API key, an access token or a session.';
  return [
    `### ${operationId}`,
    `**${code(`${method} ${path}`)}**: ${summary}. ${credential}`,
    ...(description === undefined ? [] : [description]),
    ...(parameters.length === 0
      ? []
      : [
          table(
            ['Parameter', 'In', 'Value', 'Default', 'Meaning'],
            parameters.map(({ name, in: place, required, schema, description: meaning }) => [
              code(name) + (required ? ' *' : ''),
              place,
              expected(schema as OptionSchema),
              defaultOf(schema as OptionSchema),
              meaning ?? schema.description ?? '',
            ]),
          ),
        ]),
    ...bodySection(placed, document),
    `**Answers**: ${good
      .map(([status, { description: said, content = {} }]) => {
        const schema = content['application/json']?.schema;
        return `${status} ${said}${schema?.$ref === undefined ? '' : ` (${link(nameOf(schema))})`}`;
      })
      .join('; ')}. **Errors**: ${bad.map(([status, { description: said }]) => `${status} ${said}`).join('; ')}.`,
    fenced('sh', examples.sh),
    fenced('js', examples.js),
    ...(path.startsWith('/api/try/') && method === 'POST' ? ['In Python, with a link in place of a file:'] : []),
    fenced('python', examples.python),
  ].join('\n\n');
}

export function restPage(document: OpenapiDocument): string {
  const operations = operationsOf(document);
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const inputs = /Job$/;
  const records = Object.entries(document.components.schemas).filter(
    ([name, { properties }]) =>
      properties !== undefined && (name === 'Job' || !inputs.test(name)) && !name.endsWith('Request'),
  );
  return [
    madeBy(
      'REST reference',
      `Version ${document.info.version}, from \`/api/openapi.json\`. How the pieces fit: ` +
        '[../rest-api.md](../rest-api.md) and [../free-api.md](../free-api.md). Every answer also carries ' +
        '`RateLimit-Policy` and `RateLimit`; those with 429 and 503, `Retry-After`. Errors: ' +
        '[errors.md](errors.md).',
    ),
    'The examples begin with:',
    ...Object.entries(preambles).map(([language, text]) => fenced(language, text)),
    table(
      ['Operation', 'Request', ''],
      operations.map(({ method, path, operation: { operationId, summary } }) => [
        link(operationId),
        code(`${method} ${path}`),
        summary,
      ]),
    ),
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      ...operations.filter(({ operation }) => operation.tags.includes(tag)).map((each) => section(each, document)),
    ]),
    '## Records',
    'Fields that openapi.json marks `x-open-point` may change within version 1.',
    ...records.flatMap(([name, schema]) => [
      `### ${name}`,
      ...(schema.description === undefined ? [] : [schema.description]),
      table(['Field', 'Kind', 'Meaning'], fieldRows(schema)),
    ]),
    '',
  ].join('\n\n');
}

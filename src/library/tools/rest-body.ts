// The body of POST /api/v1/jobs, derived from a tool's declaration: its JSON Schema, and its parsing.
import type { JsonObject } from '../core/json.ts';
import { EarshotError } from '../core/errors.ts';
import { unknownName } from '../core/names.ts';
import { badValue, type OptionSchema } from '../core/schema.ts';
import type { InputRole } from '../contract/tool-inputs.ts';
import type { JobRequest } from '../contract/job-request.ts';
import type { AnyTool } from './declare/define.ts';
import { refuseFields } from './declare/refusals.ts';
import { interfaceTool } from './declare/interface-tool.ts';
import { ruleConditions, ruleSentences } from './field-rules.ts';
import { interfaceTools } from './registry.ts';

/** JSON Schema in keywords that draft 7 and 2020-12 (OpenAPI 3.1) share. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export const fileIdPattern = '^file_[0-9A-Za-z]+$';
const fileIdLength = 100;
const idempotencyKeyLength = 200;
const openPoint = { 'x-open-point': true };

const fileIdSchema = (description: string): JsonSchema => ({
  type: 'string',
  maxLength: fileIdLength,
  pattern: fileIdPattern,
  description,
});

/** Fields of every job, unless its declaration excludes them. */
const jobFields: Readonly<Record<string, JsonSchema>> = {
  idempotency_key: {
    type: 'string',
    minLength: 1,
    maxLength: idempotencyKeyLength,
    description: 'The same key with the same request answers the same job. The header Idempotency-Key can replace it',
  },
  max_credits: {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'A job that would cost more does not start',
  },
  free: {
    type: 'boolean',
    description:
      'true: only the free part, never paid. false: the whole file, paid, or nothing. Default: paid if the balance ' +
      'covers it, else free',
  },
};

/**
 * Options as plain JSON Schema; tuples become lists of a fixed length with one item type, which every draft supports.
 */
function plainSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainSchema);
  if (typeof value !== 'object' || value === null) return value;
  const { items, additionalItems, ...rest } = value as JsonSchema;
  const plain = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, plainSchema(inner)]));
  if (items === undefined) return additionalItems === undefined ? plain : { ...plain, additionalItems };
  if (!Array.isArray(items)) return { ...plain, items: plainSchema(items) };
  const [first, ...others] = (items as unknown[]).map((item) => JSON.stringify(plainSchema(item)));
  if (first === undefined || others.some((other) => other !== first))
    throw new TypeError('A REST body has only lists whose items are of one kind');
  return { ...plain, items: JSON.parse(first) as unknown, minItems: items.length, maxItems: items.length };
}

function inputSchema(role: InputRole, option: OptionSchema | undefined): JsonSchema {
  if (!role.multiple) return fileIdSchema(role.title);
  const list = { type: 'array', minItems: role.minGiven, maxItems: role.max, description: role.title };
  if (role.itemKey === undefined) return { ...list, items: fileIdSchema('Identifier of the file') };
  const settings = option?.items as OptionSchema | undefined;
  const properties = {
    [role.itemKey]: fileIdSchema('Identifier of the file'),
    ...(plainSchema(settings?.properties ?? {}) as object),
  };
  return {
    ...list,
    items: {
      type: 'object',
      properties,
      required: [role.itemKey, ...(settings?.required ?? [])],
      additionalProperties: false,
    },
  };
}

function optionsOf(tool: AnyTool): OptionSchema {
  const schema: object = tool.options;
  return schema;
}

/** Options that are fields of the body itself, not of a list of files. */
const ownOptions = (tool: AnyTool): [string, OptionSchema][] =>
  Object.entries(optionsOf(tool).properties ?? {}).filter(([name]) => tool.inputs[name]?.itemKey === undefined);
const fieldsOf = (tool: AnyTool): string[] => [
  'tool',
  ...Object.keys(tool.inputs),
  ...ownOptions(tool).map(([name]) => name),
  ...(tool.jobFields ? Object.keys(jobFields) : []),
];

/**
 * The tool's input as JSON Schema, as POST /api/v1/jobs takes it. Parts that the interface does not show carry
 * `x-open-point`. idempotency_key is not required, because the header Idempotency-Key can replace it.
 */
export function restBodySchema(declared: AnyTool): JsonSchema {
  const tool = interfaceTool(declared);
  return { ...bodySchema(tool), ...ruleConditions(tool) };
}

/**
 * As `restBodySchema`, with the rules between fields as sentences in the description. Generators of clients take
 * conditions beside `properties` for kinds of the object, and lose its fields.
 */
export function plainBodySchema(declared: AnyTool): JsonSchema {
  const tool = interfaceTool(declared);
  const sentences = ruleSentences(tool);
  return { ...bodySchema(tool), ...(sentences.length === 0 ? {} : { description: sentences.join(' ') }) };
}

/** The fields, with all that the declaration has, and without the rules between them. */
export function bodySchema(tool: AnyTool): JsonSchema {
  const marked = (name: string, schema: JsonSchema): [string, JsonSchema] => [
    name,
    tool.openPoints.includes(name) ? { ...schema, ...openPoint } : schema,
  ];
  return {
    type: 'object',
    properties: Object.fromEntries([
      ['tool', { type: 'string', const: tool.id, description: tool.description }],
      ...Object.entries(tool.inputs).map(([name, role]) =>
        marked(name, inputSchema(role, optionsOf(tool).properties?.[name])),
      ),
      ...ownOptions(tool).map(([name, schema]) => marked(name, plainSchema(schema) as JsonSchema)),
      ...(tool.jobFields ? Object.entries(jobFields) : []),
    ]),
    required: [
      'tool',
      ...Object.entries(tool.inputs)
        .filter(([, role]) => role.min > 0)
        .map(([name]) => name),
      ...ownOptions(tool)
        .map(([name]) => name)
        .filter((name) => optionsOf(tool).required?.includes(name)),
    ],
    additionalProperties: false,
  };
}

/**
 * Parses and validates the body of a job.
 * @param headerKey value of the header Idempotency-Key, which can replace the body's field
 * @throws EarshotError bad_request with details {field, expected, received}; text_too_long
 */
export function splitBody(declared: AnyTool, body: unknown, headerKey: string | null = null): JobRequest {
  const tool = interfaceTool(declared);
  const given = requireObject(body, 'body');
  const known = fieldsOf(tool);
  for (const name of Object.keys(given)) if (!known.includes(name)) throw unknownName(name, tool.id, known, 'field');
  if (given['tool'] !== tool.id) throw badValue('tool', tool.id, given['tool']);

  const inputs: Record<string, readonly string[]> = {};
  const options: Record<string, unknown> = {};
  for (const [field, role] of Object.entries(tool.inputs)) {
    const value = given[field];
    if (value === undefined) {
      if (role.min > 0) throw badValue(field, role.multiple ? describeList(role) : 'file id', undefined);
    } else if (!role.multiple) inputs[field] = [requireFileId(value, field, field)];
    else {
      const items = requireList(value, field, role);
      inputs[field] = items.map((item, index) =>
        requireFileId(
          role.itemKey === undefined ? item : requireObject(item, `${field}[${index}]`, field)[role.itemKey],
          `${field}[${index}]${role.itemKey === undefined ? '' : `.${role.itemKey}`}`,
          field,
        ),
      );
      if (role.itemKey !== undefined)
        options[field] = items.map((item) => without(item as Record<string, unknown>, role.itemKey as string));
    }
  }
  for (const [name] of ownOptions(tool)) if (given[name] !== undefined) options[name] = given[name];
  const [refusal] = refuseFields(tool.fieldRules, new Set(Object.keys(given)));
  if (refusal)
    throw new EarshotError(refusal.code, refusal.message, {
      details: { field: ruleField(tool), expected: refusal.message, received: Object.keys(given).join(', ') },
    });
  return {
    tool: tool.id,
    inputs,
    options: tool.parseOptions(options) as JsonObject,
    ...splitJobFields(tool, given, headerKey),
  };
}

/** As `splitBody`, for the tool named in the body. @throws also for an unknown tool */
export function splitJobBody(
  body: unknown,
  headerKey: string | null = null,
  among: readonly AnyTool[] = interfaceTools,
): JobRequest {
  const name = requireObject(body, 'body')['tool'];
  const tool = among.find(({ id }) => id === name);
  if (!tool) throw badValue('tool', `one of ${among.map(({ id }) => id).join(', ')}`, name);
  return splitBody(tool, body, headerKey);
}

function splitJobFields(
  tool: AnyTool,
  given: Readonly<Record<string, unknown>>,
  headerKey: string | null,
): Pick<JobRequest, 'idempotencyKey' | 'maxCredits' | 'free'> {
  const { idempotency_key: bodyKey, max_credits: maxCredits, free } = given;
  const expectedKey = `string of 1 to ${idempotencyKeyLength} characters`;
  const key = bodyKey === undefined ? headerKey : bodyKey;
  if (key === null && bodyKey === undefined) {
    if (tool.jobFields) throw badValue('idempotency_key', `${expectedKey} (or the header Idempotency-Key)`, undefined);
  } else if (typeof key !== 'string' || key.length === 0 || Array.from(key).length > idempotencyKeyLength)
    throw badValue('idempotency_key', expectedKey, key);
  if (headerKey !== null && key !== headerKey)
    throw badValue('idempotency_key', 'the same key as in the header Idempotency-Key', key);
  if (maxCredits !== undefined && !(Number.isSafeInteger(maxCredits) && (maxCredits as number) > 0))
    throw badValue('max_credits', 'integer above 0', maxCredits);
  if (free !== undefined && typeof free !== 'boolean') throw badValue('free', 'true or false', free);
  return { idempotencyKey: key, maxCredits: (maxCredits as number | undefined) ?? null, free };
}

const describeList = (role: InputRole): string =>
  `list of ${role.minGiven} to ${role.max} ${role.itemKey === undefined ? 'file ids' : `objects with ${role.itemKey}`}`;
const without = (item: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).filter(([name]) => name !== key));
const ruleField = ({ fieldRules }: AnyTool): string =>
  fieldRules.exactlyOne?.[0]?.[0] ?? Object.values(fieldRules.needs ?? {})[0] ?? 'body';

function requireObject(value: unknown, place: string, field = place): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badValue(field, 'object', value, place);
  return value as Record<string, unknown>;
}

function requireList(value: unknown, field: string, role: InputRole): unknown[] {
  if (!Array.isArray(value) || value.length < role.minGiven || value.length > role.max)
    throw badValue(field, describeList(role), value);
  return value as unknown[];
}

function requireFileId(value: unknown, place: string, field: string): string {
  if (typeof value !== 'string' || value.length > fileIdLength || !new RegExp(fileIdPattern).test(value))
    throw badValue(field, 'file id', value, place);
  return value;
}

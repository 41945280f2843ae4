// The body of POST /api/v1/jobs, derived from a tool's declaration: its JSON Schema, and its parsing.
import type { JsonObject } from '../../../library/core/json.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { unknownName } from '../../../library/core/checks/names.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import type { InputRole } from '../../../library/contract/tool-inputs.ts';
import type { JobRequest } from '../../../library/contract/job-request.ts';
import { refuseFields } from '../../../library/tools/declare/refusals.ts';
import { ruleConditions, ruleSentences } from '../../../library/tools/field-rules.ts';
import {
  fileIdLength,
  fileIdPattern,
  type JsonSchema,
  ownOptions,
  requestSchema,
} from '../../../library/tools/request-schema.ts';
import { type OfferedTool, offeredTools } from '../../offers/offers.ts';

const idempotencyKeyLength = 200;
const openPoint = { 'x-open-point': true };

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

const fieldsOf = (tool: OfferedTool): string[] => [
  'tool',
  ...Object.keys(tool.inputs),
  ...ownOptions(tool).map(([name]) => name),
  ...(tool.jobFields ? Object.keys(jobFields) : []),
];

/**
 * The tool's input as JSON Schema, as POST /api/v1/jobs takes it. Parts that the interface does not show carry
 * `x-open-point`. idempotency_key is not required, because the header Idempotency-Key can replace it.
 */
export const restBodySchema = (tool: OfferedTool): JsonSchema => ({ ...bodySchema(tool), ...ruleConditions(tool) });

/**
 * As `restBodySchema`, with the rules between fields as sentences in the description. Generators of clients take
 * conditions beside `properties` for kinds of the object, and lose its fields.
 */
export function plainBodySchema(tool: OfferedTool): JsonSchema {
  const sentences = ruleSentences(tool);
  return { ...bodySchema(tool), ...(sentences.length === 0 ? {} : { description: sentences.join(' ') }) };
}

function bodySchema(tool: OfferedTool): JsonSchema {
  const { properties, required, ...rest } = requestSchema(tool);
  const marked = ([name, schema]: [string, JsonSchema]): [string, JsonSchema] => [
    name,
    tool.openPoints.includes(name) ? { ...schema, ...openPoint } : schema,
  ];
  return {
    ...rest,
    properties: {
      tool: { type: 'string', const: tool.id, description: tool.description },
      ...Object.fromEntries(Object.entries(properties).map(marked)),
      ...(tool.jobFields ? jobFields : {}),
    },
    required: ['tool', ...required],
    additionalProperties: false,
  };
}

/**
 * Parses and validates the body of a job.
 * @param headerKey value of the header Idempotency-Key, which can replace the body's field
 * @throws EarshotError bad_request with details {field, expected, received}; text_too_long
 */
export function splitBody(tool: OfferedTool, body: unknown, headerKey: string | null = null): JobRequest {
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
  among: readonly OfferedTool[] = offeredTools,
): JobRequest {
  const name = requireObject(body, 'body')['tool'];
  const tool = among.find(({ id }) => id === name);
  if (!tool) throw badValue('tool', `one of ${among.map(({ id }) => id).join(', ')}`, name);
  return splitBody(tool, body, headerKey);
}

function splitJobFields(
  tool: OfferedTool,
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
const ruleField = ({ fieldRules }: OfferedTool): string =>
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

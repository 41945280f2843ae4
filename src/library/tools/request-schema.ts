// The fields of a request to a tool, from its declaration: files by id, and options.
import type { OptionSchema } from '../core/checks/schema.ts';
import type { InputRole } from '../contract/tool-inputs.ts';
import type { AnyTool } from './declare/define.ts';

/** JSON Schema in keywords that draft 7 and 2020-12 (OpenAPI 3.1) share. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export const fileIdPattern = '^file_[0-9A-Za-z]+$';
export const jobIdPattern = '^(?:job|chain)_[0-9A-Za-z]+$';
export const fileIdLength = 100;

const fileIdSchema = (description: string): JsonSchema => ({
  type: 'string',
  maxLength: fileIdLength,
  pattern: fileIdPattern,
  description,
});

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
export const ownOptions = (tool: AnyTool): [string, OptionSchema][] =>
  Object.entries(optionsOf(tool).properties ?? {}).filter(([name]) => tool.inputs[name]?.itemKey === undefined);

/** A schema whose root is a plain object. */
export type FlatSchema = JsonSchema & {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
};

/** The fields, without the rules between them. */
export const requestSchema = (tool: AnyTool): FlatSchema => ({
  type: 'object',
  properties: Object.fromEntries([
    ...Object.entries(tool.inputs).map(([name, role]) => [name, inputSchema(role, optionsOf(tool).properties?.[name])]),
    ...ownOptions(tool).map(([name, schema]) => [name, plainSchema(schema)]),
  ]) as Record<string, JsonSchema>,
  required: [
    ...Object.entries(tool.inputs)
      .filter(([, role]) => role.min > 0)
      .map(([name]) => name),
    ...ownOptions(tool)
      .map(([name]) => name)
      .filter((name) => optionsOf(tool).required?.includes(name)),
  ],
});

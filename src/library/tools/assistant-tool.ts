// A tool as assistants call it: its name, words for a model, and a schema without combinators at the root. Some clients
// drop a tool with `oneOf` or `anyOf` there without a word, others refuse the whole session; so the rules between fields
// are sentences, and the parser checks them.
import type { AnyTool } from './declare/define.ts';
import { interfaceTool } from './declare/interface-tool.ts';
import { fileIdPattern, type JsonSchema, restBodySchema } from './rest-body.ts';

/** Fields of the REST body that an assistant's call does not have, or has in other words. */
const otherwise = new Set(['tool', 'idempotency_key', 'max_credits', 'free']);
/** The parser refuses unknown fields in any case. */
const leftOut = new Set(['oneOf', 'anyOf', 'allOf', 'additionalProperties']);

/** The tool's own fields: files by id, and options. Its root is a plain object. */
export function flatSchema(tool: AnyTool): JsonSchema & { readonly properties: Readonly<Record<string, JsonSchema>> } {
  const { properties, required, ...rest } = restBodySchema(tool) as {
    readonly properties: Readonly<Record<string, JsonSchema>>;
    readonly required: readonly string[];
  };
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !leftOut.has(name))),
    properties: Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => !otherwise.has(name))
        .map(([name, schema]) => [name, plain(schema) as JsonSchema]),
    ),
    required: required.filter((name) => !otherwise.has(name)),
  };
}

/**
 * Without marks for authors of REST clients and what the parser checks of ids, since every session of a model carries
 * these schemas; with a type beside every list of values, which some clients require.
 */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  const isId = (schema as JsonSchema)['pattern'] === fileIdPattern;
  const values = (schema as JsonSchema)['enum'];
  return {
    ...(Array.isArray(values) && !('type' in schema) ? { type: typeof values[0] } : {}),
    ...Object.fromEntries(
      Object.entries(schema)
        .filter(
          ([name]) =>
            !['x-open-point', 'additionalProperties'].includes(name) &&
            !(isId && (name === 'pattern' || name === 'maxLength')),
        )
        .map(([name, inner]) => [name, plain(inner)]),
    ),
  };
}

/** The rules between fields that the flat schema cannot say, a sentence each. */
function fieldRules(declared: AnyTool): readonly string[] {
  const { fieldRules: rules, optionRules, inputs, options } = interfaceTool(declared);
  const known = new Set([...Object.keys(inputs), ...Object.keys(options.properties ?? {})]);
  const { exactlyOne = [], needs = {} } = rules;
  return [
    ...exactlyOne.map((fields) => `Give exactly one of ${fields.join(' and ')}.`),
    ...Object.entries(needs).map(([field, other]) => `${field} needs ${other}.`),
    ...Object.entries(optionRules)
      .filter(([option]) => known.has(option))
      .map(([option, { field, values, required }]) =>
        required
          ? `${option} is needed with ${field} ${values.join(', ')}, and only then.`
          : `${option} only with ${field} ${values.join(', ')}.`,
      ),
  ];
}

/** What the tool does, for a model: the declaration's own words and the rules between its fields. */
export const describeForAssistants = (tool: AnyTool): string => [tool.description, ...fieldRules(tool)].join(' ');

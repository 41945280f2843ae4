// A tool as assistants call it: its name, words for a model, and a schema without combinators at the root. Some clients
// drop a tool with `oneOf` or `anyOf` there without a word, others refuse the whole session; so the rules between
// fields are sentences, and the parser checks them.
import { toolIds } from '../contract/tool-ids.ts';
import type { AnyTool } from './declare/define.ts';
import { inputName } from './declare/inputs.ts';
import { soundTrackPattern } from './declare/sound-track.ts';
import { ruleSentences } from './field-rules.ts';
import { fileIdPattern, type FlatSchema, jobIdPattern, type JsonSchema, requestSchema } from './request-schema.ts';

/** The tool's own fields: files by id, and options. Its root is a plain object. */
export function flatSchema(tool: AnyTool): FlatSchema {
  const { properties, required, ...rest } = requestSchema(tool);
  const shown = Object.entries(properties).map(([name, schema]) => {
    const { description, ...short } = shortSchema(schema) as JsonSchema;
    // Thirteen tools have it, and its name says it.
    return [name, name === 'file_id' || description === undefined ? short : { ...short, description }] as const;
  });
  return { ...rest, properties: Object.fromEntries(shown), required };
}

/** Of ids, which models copy, and of sound tracks. */
const copiedPatterns = [fileIdPattern, jobIdPattern, soundTrackPattern];

/** What the parser checks, and some providers do not know. */
const unsaid = new Set(['additionalProperties', 'minLength', 'maxLength', 'exclusiveMinimum']);

/** More values than these are not listed in a session: check_audio's measures alone were 0.7 KB. */
const mostValues = 20;

/**
 * Without what the parser checks of ids, lengths of texts, numbers below 0 and unknown fields, without the default
 * false and the names of all tools, since every session of a model carries these schemas; with a type beside every list
 * of values, which some clients require.
 */
export function shortSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shortSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const isId = copiedPatterns.includes(String((schema as JsonSchema)['pattern']));
  const values = (schema as JsonSchema)['enum'];
  if (Array.isArray(values) && toolIds.every((id) => values.includes(id)))
    return { type: 'string', description: 'Name of a tool' };
  if (Array.isArray(values) && values.length > mostValues)
    return { type: 'string', description: `${values.slice(0, 3).join(', ')}, ...; a wrong one is answered with all` };
  // Gemini's choices are texts.
  if (Array.isArray(values) && typeof values[0] === 'number') {
    const { enum: _choices, description, ...rest } = schema as JsonSchema;
    return shortSchema({
      ...rest,
      type: 'integer',
      description: [values.join(', '), ...(typeof description === 'string' ? [description] : [])].join('. '),
    });
  }
  return {
    ...(Array.isArray(values) && !('type' in schema) ? { type: typeof values[0] } : {}),
    ...Object.fromEntries(
      Object.entries(schema)
        .filter(([name, value]) => !unsaid.has(name) && !(name === 'default' && value === false))
        .filter(([name]) => !(isId && name === 'pattern'))
        .filter(([name, value]) => !(name === 'minimum' && value === 0))
        .map(([name, inner]) => [name, shortSchema(inner)]),
    ),
  };
}

/**
 * The tool's fields for files on this machine: paths instead of ids, under the inputs' short names (file, files, video,
 * audio, script, transcript), and all options that the library has.
 */
export function pathSchema(tool: AnyTool): FlatSchema {
  const { properties, required, ...rest } = flatSchema(tool);
  const named = (field: string): string => (field in tool.inputs ? inputName(field) : field);
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).map(([field, schema]) => [
        named(field),
        field in tool.inputs ? toPath(schema) : saidShort(schema, tool),
      ]),
    ),
    required: required.map(named),
  };
}

/** An option whose description may name inputs. */
const saidShort = (schema: JsonSchema, tool: AnyTool): JsonSchema =>
  typeof schema['description'] === 'string'
    ? { ...schema, description: inShortNames(schema['description'], tool) }
    : schema;

/** A field for an id, a list of ids, or a list of objects with an id each, with paths in their place. */
function toPath(schema: JsonSchema): JsonSchema {
  const { items, description = 'A file' } = schema as { readonly items?: JsonSchema; readonly description?: string };
  const path = { type: 'string', description: `${description}: its path` };
  if (items === undefined) return path;
  const { properties, required } = items as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  if (properties === undefined) return { ...schema, items: { type: 'string', description: 'Path' } };
  const { file_id: _id, ...settings } = properties;
  return {
    ...schema,
    items: {
      ...items,
      properties: { file: { type: 'string', description: 'Path' }, ...settings },
      required: (required ?? []).map((name) => (name === 'file_id' ? 'file' : name)),
    },
  };
}

/** What the tool does, for a model: the declaration's own words and the rules between its fields. */
export const describeForAssistants = (tool: AnyTool): string => [tool.description, ...ruleSentences(tool)].join(' ');

/** As `describeForAssistants`, with the fields of `pathSchema`. */
export const describeWithPaths = (tool: AnyTool): string =>
  [tool.description, ...ruleSentences(tool).map((rule) => inShortNames(rule, tool))].join(' ');

const inShortNames = (text: string, { inputs }: AnyTool): string =>
  Object.keys(inputs).reduce(
    (said, field) => said.replaceAll(new RegExp(`\\b${field}\\b`, 'g'), inputName(field)),
    text,
  );

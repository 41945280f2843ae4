import type { ErrorObject, ValidateFunction } from 'ajv';
import { compileSchema } from './compile-schema.ts';
import { EarshotError } from '../errors/errors.ts';
import { isTooDeep, mostLevels } from '../json.ts';
import { shownName, unknownName } from './names.ts';

/** The JSON Schema keywords that our options use. TypeBox schemas have this shape. */
export interface OptionSchema {
  /** JSON type: object, array, string, number, integer, boolean, null. */
  readonly type?: string;
  /** All allowed values; those that are numbers are at most a handful. */
  readonly enum?: readonly (string | number)[];
  /** The only allowed value. */
  readonly const?: unknown;
  /** The value matches one of these. */
  readonly anyOf?: readonly OptionSchema[];
  /** One sentence for users, with the unit of a number unless its name ends in one. */
  readonly description?: string;
  /** The value when the option is left out. */
  readonly default?: unknown;
  /** The value is at least this. */
  readonly minimum?: number;
  /** The value is at most this. */
  readonly maximum?: number;
  /** The value is greater than this (`minimum`: at least this). */
  readonly exclusiveMinimum?: number;
  /** The value is less than this (`maximum`: at most this). */
  readonly exclusiveMaximum?: number;
  /** Least number of characters of a text. */
  readonly minLength?: number;
  /** Greatest number of characters of a text. */
  readonly maxLength?: number;
  /** Regular expression that a text matches. */
  readonly pattern?: string;
  /** Least number of items of a list. */
  readonly minItems?: number;
  /** Greatest number of items of a list. */
  readonly maxItems?: number;
  /** Schema of all items of a list, or of each in turn. */
  readonly items?: OptionSchema | readonly OptionSchema[];
  /** Fields of an object, by name. */
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  /** Names of the required fields. */
  readonly required?: readonly string[] | undefined;
}

/**
 * 'json': values come typed. 'text': numbers, booleans and JSON arrays may come as text, from command lines and forms.
 */
export type OptionsSource = 'json' | 'text';

/**
 * Compiles a schema once. The parser copies its input, fills in defaults, validates, and freezes. Its own results are
 * not checked again.
 * @param subject the tool's id, for messages
 * @throws EarshotError bad_request with details {field, expected, received}
 */
export function createOptionsParser<Options>(
  subject: string,
  schema: object,
): (options: unknown, source: OptionsSource) => Options {
  const top = schema as OptionSchema;
  // Compiled on first use: declaring every tool must not cost a compilation each.
  let compiled: ValidateFunction | undefined;
  const parsed = new WeakSet<object>();
  const remember = (values: object): Options => {
    parsed.add(deepFreeze(values));
    return values as Options;
  };

  return (options, source) => {
    if (typeof options !== 'object' || options === null || Array.isArray(options))
      throw badValue('options', 'object', options, `the options of ${subject}`);
    if (parsed.has(options)) return options as Options;
    const values = copyDefined(subject, options);
    rejectUnknown(subject, top, values);
    if (source === 'text')
      for (const [name, value] of Object.entries(values)) values[name] = fromText(top.properties?.[name], value);
    // Ajv takes 10 ms to load and compile: a run without options needs none of it.
    const isFree = (top.required ?? []).length === 0 && top.anyOf === undefined;
    if (Object.keys(values).length === 0 && isFree) return remember(withDefaults(top));
    compiled ??= compileSchema(schema, {
      useDefaults: true,
      allErrors: false,
      verbose: true,
      strict: true,
      strictTuples: false,
    });
    if (!compiled(values)) throw describeFailure(subject, compiled.errors?.[0]);
    return remember(values);
  };
}

const withDefaults = ({ properties = {} }: OptionSchema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { default: usual }]) =>
      usual === undefined ? [] : [[name, structuredClone(usual)]],
    ),
  );

/** A schema in words: "integer between 10 and 100", "one of mp3, wav", "list of 1 to 100 items". */
export function describeExpected(schema: OptionSchema): string {
  if (schema.enum) return schema.enum.length === 1 ? String(schema.enum[0]) : `one of ${schema.enum.join(', ')}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(describeExpected).join(' or ');
  if (schema.type === 'string')
    return `string${describeLength(schema)}${schema.pattern === undefined ? '' : ` matching ${schema.pattern}`}`;
  if (schema.type === 'array') return describeArray(schema);
  if (schema.type === 'boolean') return 'true or false';
  return `${schema.type ?? 'value'}${describeRange(schema)}`;
}

function describeRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: OptionSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` between ${minimum} and ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  if (maximum !== undefined) return ` of at most ${maximum}`;
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`;
  return exclusiveMaximum === undefined ? '' : ` below ${exclusiveMaximum}`;
}

function describeLength({ minLength, maxLength }: OptionSchema): string {
  if (minLength !== undefined && maxLength !== undefined) return ` of ${minLength} to ${maxLength} characters`;
  if (maxLength !== undefined) return ` of at most ${maxLength} characters`;
  return minLength === undefined ? '' : ` of at least ${minLength} characters`;
}

function describeArray({ minItems, maxItems, items }: OptionSchema): string {
  if (Array.isArray(items)) return `[${(items as readonly OptionSchema[]).map(describeExpected).join(', ')}]`;
  const count =
    minItems !== undefined && maxItems !== undefined
      ? minItems === maxItems
        ? ` of ${minItems} items`
        : ` of ${minItems} to ${maxItems} items`
      : '';
  return `list${count}${items ? `, each ${describeExpected(items as OptionSchema)}` : ''}`;
}

/** Most bytes of an option that is no text: a number, a choice, a short list. */
export const usualOptionBytes = 4096;

/** Most bytes of a value of this schema as text or JSON; a number or a choice has `usualOptionBytes`. */
export const mostBytesOf = (schema: OptionSchema | undefined): number =>
  Math.max(usualOptionBytes, jsonBytesOf(schema ?? {}));

function jsonBytesOf(schema: OptionSchema): number {
  const { type, anyOf, maxLength, minItems = 0, maxItems = minItems, items, properties } = schema;
  if (anyOf) return Math.max(...anyOf.map(jsonBytesOf));
  // JSON may write a character in six bytes.
  if (type === 'string') return 6 * (maxLength ?? 0) + 2;
  // With a comma and white space between the items.
  const sum = (inner: readonly OptionSchema[]): number =>
    inner.reduce((bytes, each) => bytes + jsonBytesOf(each) + separatorBytes, separatorBytes);
  if (type === 'array') {
    if (Array.isArray(items)) return sum(items as readonly OptionSchema[]);
    return separatorBytes + maxItems * (jsonBytesOf((items as OptionSchema | undefined) ?? {}) + separatorBytes);
  }
  if (type === 'object')
    return sum(Object.values(properties ?? {})) + Object.keys(properties ?? {}).join('').length + separatorBytes;
  return longestNumberLetters;
}

const separatorBytes = 20;
/** A number in full precision has 24. */
const longestNumberLetters = 40;

/** A bad_request in sharp's style: expected, name, received. */
export function badValue(field: string, expected: string, received: unknown, path = field): EarshotError {
  return badInput(field, expected, showValue(received), path);
}

/**
 * The same where no value was received that could be shown.
 * @param received in words: "more than 20", "several"
 */
export function badInput(field: string, expected: string, received: string, path = field): EarshotError {
  return new EarshotError('bad_request', `Expected ${expected} for ${shownName(path)} but received ${received}`, {
    details: { field: shownName(field), expected, received },
  });
}

function showValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  const type = Array.isArray(value) ? 'array' : typeof value;
  const text =
    typeof value === 'string'
      ? value
      : typeof value === 'number' || typeof value === 'bigint'
        ? String(value)
        : (JSON.stringify(value) ?? type);
  const short = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  return `${short === '' ? "''" : short} of type ${type}`;
}

/** Longer than any name, key or URL that the interface accepts. */
const longestNameCharacters = 4000;

/** Names and indexes from the checked value down to the failing one. */
export const pathOf = ({ instancePath }: Pick<ErrorObject, 'instancePath'>): string[] =>
  instancePath.split('/').slice(1);

/** A path as users write it: sentences[2].words. */
export const placeOf = (path: readonly string[]): string =>
  path.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');

function describeFailure(subject: string, error: ErrorObject | undefined): EarshotError {
  if (!error) return new EarshotError('internal_error', `The options of ${subject} failed without a reason`);
  const path = pathOf(error);
  const field = path[0] ?? subject;
  const place = placeOf(path);
  const parent = (error.parentSchema ?? {}) as OptionSchema;
  if (error.keyword === 'required') {
    const missing = (error.params as { missingProperty: string }).missingProperty;
    const expected = describeExpected(parent.properties?.[missing] ?? {});
    return badValue(place ? field : missing, expected, undefined, place ? `${place}.${missing}` : missing);
  }
  if (error.keyword === 'additionalProperties') {
    const name = (error.params as { additionalProperty: string }).additionalProperty;
    return unknownName(name, place || subject, Object.keys(parent.properties ?? {}));
  }
  const bad = badValue(field, describeExpected(parent), error.data, place || subject);
  // The catalogue has a code for whole texts; a name or URL that is too long is an ordinary bad request.
  const isText = error.keyword === 'maxLength' && (parent.maxLength ?? 0) > longestNameCharacters;
  return isText ? new EarshotError('text_too_long', bad.message, bad.details ? { details: bad.details } : {}) : bad;
}

function rejectUnknown(subject: string, schema: OptionSchema, values: Record<string, unknown>): void {
  const known = Object.keys(schema.properties ?? {});
  for (const name of Object.keys(values)) if (!known.includes(name)) throw unknownName(name, subject, known);
}

/** Converts text to the type its schema wants. Text that does not fit stays text, and validation reports it. */
function fromText(schema: OptionSchema | undefined, value: unknown): unknown {
  if (typeof value !== 'string' || schema === undefined) return value;
  const type = schema.type ?? (schema.enum?.every((item) => typeof item === 'number') ? 'number' : 'string');
  if (type === 'number' || type === 'integer') return numberFromText(value) ?? value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  if (type === 'array' || type === 'object') return parseJson(value);
  return value;
}

/** A decimal number, as JSON and command lines write it; undefined for other and longer text, and for infinity. */
export function numberFromText(text: string): number | undefined {
  if (text.length > longestNumberLetters) return undefined;
  const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
}

/** Ajv writes defaults into its input, so it gets a copy. An explicit undefined means "not given". */
function copyDefined(subject: string, options: object): Record<string, unknown> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const deep = given.find(([, value]) => isTooDeep(value));
  if (deep !== undefined)
    throw badInput(deep[0], `JSON of at most ${mostLevels} levels`, 'more', `${deep[0]} of ${subject}`);
  try {
    return structuredClone(Object.fromEntries(given));
  } catch {
    throw new EarshotError('bad_request', `Expected plain JSON values in the options of ${subject}`, {
      details: { field: 'options', expected: 'plain JSON values', received: 'something else' },
    });
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

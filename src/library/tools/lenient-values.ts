// Arguments as models write them. A number comes as text, with its unit or as a time code, a list as one value or as
// JSON in a text, an absent field as null, a loudness as a number in place of a target's name. What is plain in meaning
// is taken; anything else stays as it came, and the parser says what was expected.
import { numberFromText, type OptionSchema } from '../core/checks/schema.ts';
import type { OptionRule } from './declare/refusals.ts';
import { pairOfTimes, readLanguage, readLufs, readRanges, readTime } from './said-values.ts';

type Properties = Readonly<Record<string, unknown>>;
type Given = Readonly<Record<string, unknown>>;

/**
 * @param properties schemas of the fields by name; fields without one stay as they are
 * @param rules of the tool's options, which say what a number in place of a choice means. Default: none
 */
export function lenientValues(
  properties: Properties,
  given: Given,
  rules: Readonly<Record<string, OptionRule>> = {},
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const schema = properties[name] as OptionSchema | undefined;
    if (value === null && schema !== undefined) continue;
    read[name] = schema === undefined ? value : lenient(name, schema, value);
    if (read[name] === undefined) delete read[name];
  }
  for (const [option, { field, values, required }] of Object.entries(rules)) {
    const [choice] = values;
    const isNumber = (properties[option] as OptionSchema | undefined)?.type === 'number';
    const said = read[field];
    const lufs = typeof said === 'number' ? said : typeof said === 'string' ? readLufs(said) : null;
    if (!required || values.length !== 1 || !isNumber || lufs === null || read[option] !== undefined) continue;
    Object.assign(read, { [field]: choice, [option]: lufs });
  }
  return read;
}

function lenient(name: string, schema: OptionSchema, value: unknown): unknown {
  const { type, enum: choices, properties } = schema;
  if (type === 'array') return listed(name, schema, value);
  if (type === 'object' && typeof value === 'string' && properties === undefined) return parsed(value, '{');
  if (type === 'object' && properties !== undefined) {
    const object = typeof value === 'string' ? objectOf(properties, value) : value;
    return isObject(object) ? lenientValues(properties, object) : object;
  }
  if (typeof value !== 'string') return value;
  if (type === 'boolean') return truths.get(value.trim().toLowerCase()) ?? value;
  if (name === 'language') return readLanguage(value);
  if (choices !== undefined) return chosen(name, choices, value);
  return type === 'number' || type === 'integer' ? numeric(name, schema, value) : value;
}

const truths = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
]);

function chosen(name: string, choices: readonly (string | number)[], value: string): string | number {
  if (choices.includes(value)) return value;
  if (choices.every((each) => typeof each === 'number')) return numeric(name, {}, value) as string | number;
  const plain = value.trim().toLowerCase().replace(/^\./, '');
  return choices.find((each) => String(each).toLowerCase() === plain) ?? value;
}

/** Units by the end of a field's name, and what a number with one means. */
const units: readonly (readonly [end: string, unit: RegExp, factor: number])[] = [
  ['_kbps', /(?:k|kbps|kb\/s|kbit\/s)$/i, 1],
  ['_db', /db$/i, 1],
  ['_lufs', /(?:lufs|lkfs)$/i, 1],
  ['_ms', /ms$/i, 1],
  ['sample_rate', /khz$|k$/i, 1000],
  ['sample_rate', /hz$/i, 1],
  ['', /%$/, 1],
];

function numeric(name: string, schema: OptionSchema, value: string): unknown {
  if (isTime(name, schema)) return readTime(value) ?? value;
  for (const [end, unit, factor] of units) {
    if (!name.endsWith(end) || !unit.test(value.trim())) continue;
    const number = numberFromText(value.trim().replace(unit, '').trim());
    if (number !== undefined) return Math.round(number * factor * 1e6) / 1e6;
  }
  return numberFromText(value) ?? value;
}

/** Is it a number of seconds? Their names say so, or their descriptions begin so. */
const isTime = (name: string, { description = '' }: OptionSchema): boolean =>
  /(?:^|_)(?:seconds|from|to|at|wait)$/.test(name) || /^Seconds\b/.test(description);

function listed(name: string, schema: OptionSchema, value: unknown): unknown {
  const { items } = schema;
  if (Array.isArray(items) || items === undefined) return value;
  const item = items as OptionSchema;
  const list = asList(schema, item, value);
  if (!Array.isArray(list)) return list;
  if (pairOfTimes(schema)) return list.map(pairOf);
  return list.map((each: unknown) => lenient(name, item, each));
}

/** One value where a list is wanted, or the list as text. */
function asList(schema: OptionSchema, item: OptionSchema, value: unknown): unknown {
  if (typeof value !== 'string') return isObject(value) && item.type === 'object' ? [value] : value;
  if (value.trim() === '') return value;
  const json = parsed(value, '[');
  if (Array.isArray(json)) return json;
  if (pairOfTimes(schema)) return readRanges(value) ?? value;
  if (item.enum !== undefined) return value.split(',').map((each) => each.trim());
  return item.type === 'string' || item.type === 'object' ? [value] : value;
}

const startNames = ['start', 'start_seconds', 'startSeconds', 'from'];
const endNames = ['end', 'end_seconds', 'endSeconds', 'to'];

/** A stretch as [start, end], {start, end} or "0:10-0:20". */
function pairOf(value: unknown): unknown {
  if (typeof value === 'string') return readRanges(value)?.[0] ?? value;
  const ends = isObject(value)
    ? [startNames, endNames].map((names) => value[names.find((name) => name in value) ?? ''])
    : value;
  if (!Array.isArray(ends)) return value;
  return ends.map((each: unknown) => (typeof each === 'string' ? (readTime(each) ?? each) : each));
}

/** An object as JSON in a text; where it has a file, its file alone. */
function objectOf(properties: Properties, value: string): unknown {
  const object = parsed(value, '{');
  const field = ['file', 'file_id'].find((name) => name in properties);
  return typeof object === 'string' && field !== undefined ? { [field]: value } : object;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string, opening: '[' | '{'): unknown {
  if (!text.trim().startsWith(opening)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

// Writes src/library/tools/option-types.ts: what callers may pass to each tool, as plain interfaces with everything
// that the declarations say of an option, so that editors show it and no caller's compiler needs the library of our
// schemas. Usage: npm run types:write, or with --check to be told when the file is stale
import { describeExpected, type OptionSchema } from '../src/library/core/checks/schema.ts';
import { TranscriptSentence } from '../src/library/contract/transcript.ts';
import type { AnyTool } from '../src/library/tools/declare/define.ts';
import { inputName } from '../src/library/tools/declare/inputs.ts';
import { tools } from '../src/library/tools/registry.ts';
import { writeMade } from './write-made.ts';

/** A few less than the formatter's 120: it indents items of arrays further. */
const widthCharacters = 116;

const sentence = TranscriptSentence as object as OptionSchema;
const word = sentence.properties?.['words']?.items as OptionSchema;

/** Schemas that have an interface of their own. */
const named = new Map([[word, 'LiveWord']]);

/** Units that the ends of names stand for; other numbers say their unit in the description. */
const unitsBySuffix: Readonly<Record<string, string>> = {
  seconds: 's',
  ms: 'ms',
  db: 'dB',
  lufs: 'LUFS',
  kbps: 'kbit/s',
};

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Words of which no line is longer than the width allows. */
function wrap(text: string, prefix: string): string[] {
  const lines: string[] = [];
  let line = prefix;
  for (const word of text.split(' ')) {
    if (line !== prefix && line.length + 1 + word.length > widthCharacters) {
      lines.push(line.trimEnd());
      line = prefix;
    }
    line += line === prefix ? word : ` ${word}`;
  }
  return [...lines, line.trimEnd()];
}

function comment(text: string, indent: string): string[] {
  const short = `${indent}/** ${text} */`;
  return short.length <= widthCharacters ? [short] : [`${indent}/**`, ...wrap(text, `${indent} * `), `${indent} */`];
}

/** A list of objects, which are spelled out anyway. */
const isList = ({ items }: OptionSchema): boolean => (items as OptionSchema | undefined)?.type === 'object';

/** "Integer between 0 and 200, ms." */
function rangeOf(name: string, schema: OptionSchema): string | null {
  if (schema.enum || schema.type === 'boolean' || schema.const !== undefined || schema.anyOf) return null;
  const unit = schema.type === 'number' || schema.type === 'integer' ? unitOf(name) : undefined;
  const range = describeExpected(isList(schema) ? { ...schema, items: {} } : schema).replace(/, each value$/, '');
  return `${range[0]?.toUpperCase()}${range.slice(1)}${unit === undefined ? '' : `, ${unit}`}.`;
}

function unitOf(name: string): string | undefined {
  return unitsBySuffix[
    name
      .split(/_|(?=[A-Z])/)
      .at(-1)
      ?.toLowerCase() ?? ''
  ];
}

/** In one paragraph, as in the client's types. */
function docOf(name: string, schema: OptionSchema, isRead: boolean, isRequired: boolean): string {
  const { description, default: preset } = schema;
  const saysDefault = isRead || isRequired || preset !== undefined || /default/i.test(description ?? '');
  return [
    ...(description === undefined ? [] : [description.endsWith('.') ? description : `${description}.`]),
    ...(isRead ? [] : [rangeOf(name, schema) ?? []].flat()),
    ...(saysDefault ? [] : ['Default: none.']),
    ...(preset === undefined ? [] : [`Default: ${JSON.stringify(preset)}.`]),
  ].join(' ');
}

const union = (values: readonly unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))).join(' | ');

function typeOf(schema: OptionSchema, indent: string): string {
  const name = named.get(schema);
  if (name !== undefined) return name;
  if (schema.enum) return union(schema.enum);
  if (schema.const !== undefined) return union([schema.const]);
  if (schema.anyOf) return schema.anyOf.map((each) => typeOf(each, indent)).join(' | ');
  const { type = '' } = schema;
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'array': {
      const { items } = schema;
      if (Array.isArray(items))
        return `readonly [${(items as readonly OptionSchema[]).map((each) => typeOf(each, indent)).join(', ')}]`;
      const item = typeOf((items ?? {}) as OptionSchema, indent);
      return `readonly (${item})[]`;
    }
    case 'object':
      return `{\n${fieldsOf(schema, `${indent}  `)}\n${indent}}`;
    default:
      throw new TypeError(`No TypeScript type is known for ${JSON.stringify(schema)}`);
  }
}

/** `isRead`: fields of what we answer; `| undefined` only where a caller may write it. */
function fieldsOf({ properties = {}, required = [] }: OptionSchema, indent: string, isRead = false): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const type = typeOf(schema, indent);
      const field = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type}${isRead ? '' : ' | undefined'}`;
      const doc = docOf(name, schema, isRead, required.includes(name));
      return [...(doc === '' ? [] : comment(doc, indent)), `${indent}readonly ${field};`].join('\n');
    })
    .join('\n');
}

function interfaceOf(name: string, doc: string, schema: OptionSchema, isRead = false): string {
  const fields = fieldsOf(schema, '  ', isRead);
  return [...comment(doc, ''), `export interface ${name} {`, fields, '}', ''].join('\n');
}

const optionsOf = ({ id, title, description, options }: AnyTool): string =>
  interfaceOf(`${pascal(id)}Options`, `Options of ${id} (${title}). ${description}`, options);

/**
 * Options that a run needs unless an input takes their place, from the rules of the declarations: cut_audio's ranges.
 */
function unlessInputs(): string {
  const lines = tools.flatMap(({ id, inputs, options, fieldRules: { exactlyOne = [] } }) =>
    exactlyOne.flatMap((fields) => {
      const own = fields.filter((field) => field in (options.properties ?? {}));
      const files = fields.filter((field) => field in inputs).flatMap((field) => [field, inputName(field)]);
      return own.map((option) => `  readonly ${id}: { readonly ${option}: ${union(files)} };`);
    }),
  );
  return [
    '/** Options without which a run needs one of these inputs instead, by the public id of the tool. */',
    'export interface OptionUnlessInput {',
    ...lines,
    '}',
    '',
    '/** The options of a tool of which no input takes the place of one. */',
    'export type OptionsWithAll<Id extends keyof OptionUnlessInput> = ToolOptionsById[Id] & {',
    '  readonly [Option in keyof OptionUnlessInput[Id] & keyof ToolOptionsById[Id]]: NonNullable<',
    '    ToolOptionsById[Id][Option]',
    '  >;',
    '};',
    '',
  ].join('\n');
}

/** The whole file. */
function optionTypes(): string {
  return [
    '// Made by scripts/write-option-types.ts from the declarations of the tools: edit those, then `npm run ' +
      'types:write`.',
    '',
    ...tools.map(optionsOf),
    "/** What may be passed as a tool's options, by its public id. */",
    'export interface ToolOptionsById {',
    ...tools.map(({ id }) => `  readonly ${id}: ${pascal(id)}Options;`),
    '}',
    '',
    unlessInputs(),
    interfaceOf('LiveWord', 'A word of a transcript, times in seconds; see docs/transcript-format.md.', word, true),
    interfaceOf(
      'LiveSentence',
      'A sentence of one speaker with its words; see docs/transcript-format.md.',
      sentence,
      true,
    ),
  ].join('\n');
}

writeMade('src/library/tools/option-types.ts', optionTypes(), 'npm run types:write');

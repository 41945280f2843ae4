// Writes src/client/api-types.ts, tool-inputs.ts and chain-types.ts: the records of the REST API and the inputs of its
// tools as plain interfaces, made from openapi.json.
// Usage: npm run client:types, or with --check to be told when the file is stale
import type { DocumentSchema } from './reference/openapi-document.ts';
import {
  chainRecords,
  components,
  docOf,
  errorCodes,
  namedEnums,
  ownFields,
  records,
  renamed,
  titles,
  toolIds,
  toolJobs,
} from './reference/client-schemas.ts';
import { writeMade } from './write-made.ts';

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));
const union = (values: readonly unknown[]): string => values.map(literal).join(' | ');

function typeOf(schema: DocumentSchema, input = false): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    // Parts of records that only generators of clients need a name for are written out in place.
    return records.includes(name) || chainRecords.includes(name)
      ? (renamed[name] ?? name)
      : typeOf(components.schemas[name] ?? {}, input);
  }
  if (schema.enum !== undefined) {
    const named = namedEnums[String(schema.enum[0])];
    return named ?? union(schema.enum);
  }
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, input)).join(' | ');
  const [type = '', ...others] = [schema.type ?? []].flat();
  return [typeNamed(type, schema, input), ...others].join(' | ');
}

function typeNamed(type: string, schema: DocumentSchema, input: boolean): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    // Several forms, which its description tells apart.
    case '':
      return 'unknown';
    case 'array': {
      const { items = {}, minItems, maxItems } = schema;
      if (minItems === 2 && maxItems === 2) return `readonly [${typeOf(items, input)}, ${typeOf(items, input)}]`;
      return `readonly (${typeOf(items, input)})[]`;
    }
    case 'object': {
      const { properties, additionalProperties } = schema;
      if (properties !== undefined) {
        const names = Object.keys(properties);
        return names.includes('remove_noise')
          ? `Readonly<Record<ToolId, ${typeOf(properties['remove_noise']!)}>>`
          : body(schema, input);
      }
      return (
        'Readonly<Record<string, ' +
        `${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>>`
      );
    }
    default:
      throw new TypeError(`No TypeScript type is known for ${JSON.stringify(schema)}`);
  }
}

/** Words in lines of at most 104 characters: fields of fields are indented. */
function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > 104) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines.length === 1 ? `/** ${lines[0]} */` : `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */`;
}

function body(
  { properties = {}, required = [] }: DocumentSchema,
  input = false,
  skipped: readonly string[] = [],
): string {
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    if (skipped.includes(name)) return [];
    const optional = required.includes(name) ? '' : '?';
    const known = typeOf(schema, input);
    const type = `${known}${optional && input && known !== 'unknown' ? ' | undefined' : ''}`;
    const doc = docOf(schema, input);
    return [`${doc === '' ? '' : `${wrapped(doc)}\n`}readonly ${name}${optional}: ${type};`];
  });
  return `{\n${fields.join('\n')}\n}`;
}

const recordLines = (names: readonly string[]): string[] =>
  names.flatMap((name) => [
    wrapped(titles[name] ?? ''),
    `export interface ${renamed[name] ?? name} ${body(components.schemas[name] ?? {})}`,
    '',
  ]);
const madeBy =
  '// Made by scripts/write-client-types.ts from openapi.json: edit the schemas, then `npm run client:types`.';

/** Fields that many tools have alike, said once, and the interface that holds them: the last that a tool has all of. */
const shared: readonly { name: string; doc: string; fields: readonly string[] }[] = [
  { name: 'JobInputs', doc: 'Inputs of what costs.', fields: ['max_credits', 'free'] },
  { name: 'PassageInputs', doc: 'Inputs of what can be tried on a passage.', fields: ['preview_from'] },
];
const pick = ({ properties = {} }: DocumentSchema, fields: readonly string[]): DocumentSchema => ({
  properties: Object.fromEntries(Object.entries(properties).filter(([name]) => fields.includes(name))),
});
const extending = (name = ''): string => (name === '' ? '' : `extends ${name} `);
const sharedOf = ({ properties = {} }: DocumentSchema) =>
  shared.findLast(({ fields }) => fields.every((name) => name in properties));
const sharedLines = shared.flatMap(({ name, doc, fields }, at) => {
  const bodies = new Set(
    toolJobs
      .filter(({ schema }) => Object.hasOwn(schema.properties ?? {}, fields[0] ?? ''))
      .map(({ schema }) => body(pick(schema, fields), true)),
  );
  if (bodies.size !== 1) throw new Error(`Expected ${fields.join(', ')} to be alike in all tools that have them`);
  return [wrapped(doc), `export interface ${name} ${extending(shared[at - 1]?.name)}${[...bodies].join('')}`, ''];
});
const toolBody = (schema: DocumentSchema): string =>
  extending(sharedOf(schema)?.name) + body(schema, true, [...ownFields, ...shared.flatMap(({ fields }) => fields)]);

const source = [
  madeBy,
  '',
  '/** Identifier of a tool. */',
  `export type ToolId = ${union(toolIds)};`,
  '',
  '/** What went wrong, as the service says it. */',
  `export type ErrorCode = ${union(errorCodes)};`,
  '',
  ...recordLines(records),
].join('\n');

writeMade('src/client/api-types.ts', source, 'npm run client:types');
const toolInputs = [
  madeBy,
  '',
  ...sharedLines,
  ...toolJobs.flatMap(({ id, name, schema }) => [
    wrapped(`Inputs of ${id}. ${schema.properties?.['tool']?.description ?? ''} ${schema.description ?? ''}`.trim()),
    `export interface ${name} ${toolBody(schema)}`,
    '',
  ]),
  '/** Inputs by tool. */',
  'export interface InputsByTool {',
  ...toolJobs.map(({ id, name }) => `readonly ${id}: ${name};`),
  '}',
  '',
].join('\n');

writeMade('src/client/tool-inputs.ts', toolInputs, 'npm run client:types');
const chains = [
  madeBy,
  "import type { ErrorCode, FileRecord, ToolId } from './api-types.ts';",
  '',
  ...recordLines(chainRecords),
  wrapped('What a chain is to do: a recipe or a chain of your own, over files.'),
  `export interface ChainRequest ${body(components.schemas['ChainRequest'] ?? {}, true, ownFields.slice(1))}`,
  '',
].join('\n');
writeMade('src/client/chain-types.ts', chains, 'npm run client:types');

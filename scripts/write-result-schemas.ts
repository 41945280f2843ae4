// Writes src/library/tools/result-schemas.ts, and beside it those of tools that write down speech: the JSON Schema of
// each tool's result, made from the types in result.ts, so that results of other machines can be checked. TypeBox reads
// the types; comments, imports and exports are left out. Usage: npm run types:write, or with --check to be told when a
// file is stale
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import * as Type from 'typebox';
import { toolWork } from '../src/library/contract/tool-work.ts';
import { type ToolId, toolIds } from '../src/library/contract/tool-ids.ts';
import { writeMade } from './write-made.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

type Schema = Readonly<Record<string, unknown>>;

/** The types of a file and of the files that it imports, as a program of declarations alone. */
function declarationsOf(file: string, wanted: readonly string[], known = new Map<string, string>()) {
  const text = readFileSync(file, 'utf8');
  const { body } = parseSync(file, text).program;
  const own = new Map<string, string>();
  const from = new Map<string, string>();
  for (const statement of body) {
    if (statement.type === 'ImportDeclaration')
      for (const { local } of statement.specifiers) from.set(local.name, join(dirname(file), statement.source.value));
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type === 'TSInterfaceDeclaration' || declaration?.type === 'TSTypeAliasDeclaration')
      own.set(declaration.id.name, text.slice(declaration.start, declaration.end));
  }
  for (const name of wanted) {
    const declared = own.get(name);
    const elsewhere = from.get(name);
    if (known.has(name)) continue;
    if (declared === undefined) {
      if (elsewhere === undefined) continue;
      declarationsOf(elsewhere, [name], known);
      continue;
    }
    known.set(name, declared.replaceAll(/\/\*[\s\S]*?\*\//g, ''));
    const words = declared.match(/\b[A-Z]\w*/g) ?? [];
    declarationsOf(file, words, known);
  }
  return known;
}

/** Draft 7, as our validator reads it: nothing beside what the type names, lists of constants as one enumeration. */
function closed(schema: Schema): Schema {
  const { type, properties, patternProperties, items, anyOf, allOf, minItems, ...rest } = schema;
  const each = (values: unknown): Schema[] => (values as Schema[]).map(closed);
  if (allOf !== undefined) return merged(each(allOf));
  if (anyOf !== undefined) {
    const members = each(anyOf);
    const constants = members.map((member) => ('const' in member ? [member['const']] : member['enum']));
    if (constants.every((each) => each !== undefined)) return { enum: constants.flat() };
    const types = members.map((member) => (Object.keys(member).join() === 'type' ? member['type'] : null));
    return types.includes(null) ? { anyOf: members } : { type: types };
  }
  if (type === 'array')
    return Array.isArray(items)
      ? { type, items: each(items), additionalItems: false, minItems }
      : { type, items: closed(items as Schema) };
  if (patternProperties !== undefined)
    return { type, additionalProperties: closed(Object.values(patternProperties as object)[0] as Schema) };
  if (type !== 'object') return 'const' in schema ? { const: schema['const'] } : { type };
  const fields = Object.fromEntries(
    Object.entries((properties ?? {}) as Record<string, Schema>).map(([name, field]) => [name, closed(field)]),
  );
  return { type, ...rest, properties: fields, additionalProperties: false };
}

function merged(members: readonly Schema[]): Schema {
  return {
    type: 'object',
    required: members.flatMap(({ required }) => (required ?? []) as string[]),
    properties: Object.assign({}, ...members.map(({ properties }) => properties)) as Schema,
    additionalProperties: false,
  };
}

const schemas = Object.fromEntries(
  toolIds.map((id) => {
    const name = `${id.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Result`;
    const program = [...declarationsOf(join(root, 'src/library/tools', id, 'result.ts'), [name]).values()].join('\n');
    const module = Type.Script(program) as unknown as Readonly<Record<string, Schema>>;
    const schema = module[name];
    if (schema === undefined) throw new Error(`${id}/result.ts: expected a type ${name} that TypeBox can read`);
    return [id, closed(schema)];
  }),
);

const keyOf = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name));
const isObject = ({ type, properties }: Schema): boolean => type === 'object' && properties !== undefined;
const fieldsOf = ({ properties }: Schema): [string, Schema][] => Object.entries(properties as Record<string, Schema>);

/** Names of objects and choices that stand in several places: of the fields that hold them. */
const names = new Map<string, string>();
const places = new Map<string, number>();
(function count(schema: Schema, field: string): void {
  const text = JSON.stringify(schema);
  if (isObject(schema) || schema['enum'] !== undefined) {
    const seen = (places.get(text) ?? 0) + 1;
    places.set(text, seen);
    if (seen > 1) {
      const taken = [...names.values()].filter((name) => name.replace(/\d+$/, '') === field);
      if (!names.has(text)) names.set(text, taken.length === 0 ? field : `${field}${taken.length + 1}`);
      return;
    }
    if (isObject(schema)) for (const [name, value] of fieldsOf(schema)) count(value, name);
  }
  for (const inner of [schema['items'], schema['anyOf'], schema['additionalProperties']].flat())
    if (typeof inner === 'object' && inner !== null) count(inner as Schema, field);
})({ type: 'object', properties: schemas }, 'result');

const words: Readonly<Record<string, string>> = { string: 'text', number: 'number', boolean: 'truth', null: 'none' };

/** A schema in the words of declare/closed-schema.ts. @param isNamed false writes out an object that has a name */
function wordsOf(schema: Schema, isNamed = true): string {
  const name = names.get(JSON.stringify(schema));
  if (isNamed && name !== undefined) return name;
  const { type, items, anyOf, required = [] } = schema;
  if (isObject(schema)) {
    const fields = fieldsOf(schema).map(([field, value]) => {
      const said = wordsOf(value);
      if (!(required as string[]).includes(field)) return `${keyOf(field)}: maybe(${said})`;
      return said === field ? said : `${keyOf(field)}: ${said}`;
    });
    return `object({ ${fields.join(', ')} })`;
  }
  if (type === 'array' && !Array.isArray(items)) return `list(${wordsOf(items as Schema)})`;
  if (anyOf !== undefined) return `either(${(anyOf as Schema[]).map((each) => wordsOf(each)).join(', ')})`;
  if (Object.keys(schema).join() === 'type') {
    const types = [type].flat() as string[];
    return types.length === 1 ? words[types[0]!]! : `either(${types.map((each) => words[each]).join(', ')})`;
  }
  return JSON.stringify(schema);
}

const made =
  '// Made by scripts/write-result-schemas.ts from the types in result.ts: edit those, then `npm run types:write`.';
const vocabulary = ['either', 'list', 'maybe', 'none', 'number', 'object', 'text', 'truth'];
/** An import of those of some names that a text has. */
const importFrom = (file: string, some: readonly string[], text: string): string => {
  const used = some.filter((name) => new RegExp(`\\b${name}\\b(?!:)`).test(text));
  return used.length === 0 ? '' : `import { ${used.join(', ')} } from '${file}';`;
};
const isSpoken = (id: string): boolean => toolWork[id as ToolId].models === 'speech';
const entries = (some: (id: string) => boolean): string =>
  Object.entries(schemas)
    .filter(([id]) => some(id))
    .map(([id, schema]) => `${id}: ${wordsOf(schema)}`)
    .join(',');
const [spoken, others] = [entries(isSpoken), entries((id) => !isSpoken(id))];
/** What a file of schemas begins with. */
const imports = (text: string): string =>
  [
    importFrom('./declare/closed-schema.ts', vocabulary, text),
    importFrom('./declare/result-shapes.ts', [...names.values()], text),
  ].join('\n');

const shapes = [...names].map(([text, name]) => {
  const isInner = !new RegExp(`\\b${name}\\b(?!:)`).test(spoken + others);
  return `${isInner ? '' : 'export '}const ${name} = ${wordsOf(JSON.parse(text) as Schema, false)};`;
});
writeMade(
  'src/library/tools/declare/result-shapes.ts',
  `${made}

// What the results of several tools have.
${importFrom('./closed-schema.ts', vocabulary, shapes.join('\n'))}

${shapes.join('\n')}
`,
  'npm run types:write',
);
writeMade(
  'src/library/tools/spoken-result-schemas.ts',
  `${made}
${imports(spoken)}

/** JSON Schema of the result of each tool that writes down what is said. */
export const spokenResultSchemas = { ${spoken} };
`,
  'npm run types:write',
);
writeMade(
  'src/library/tools/result-schemas.ts',
  `${made}
${imports(others)}
import type { ToolId } from '../contract/tool-ids.ts';
import { spokenResultSchemas } from './spoken-result-schemas.ts';

/** JSON Schema of each tool's result. */
export const resultSchemas: Readonly<Record<ToolId, object>> = { ...spokenResultSchemas, ${others} };
`,
  'npm run types:write',
);

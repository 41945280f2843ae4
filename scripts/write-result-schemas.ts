// Writes src/library/tools/result-schemas.ts: the JSON Schema of each tool's result, made from the types in result.ts,
// so that results of other machines can be checked. TypeBox reads the types; comments, imports and exports are left
// out. Usage: npm run types:write, or with --check to be told when the file is stale
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import * as Type from 'typebox';
import { toolIds } from '../src/library/contract/tool-ids.ts';
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
    const constants = members.filter((member) => 'const' in member).map((member) => member['const']);
    if (constants.length === members.length) return { enum: constants };
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

writeMade(
  'src/library/tools/result-schemas.ts',
  `// Made by scripts/write-result-schemas.ts from the types in result.ts: edit those, then \`npm run types:write\`.
// oxlint-disable max-lines -- made, and read by a validator alone
import type { ToolId } from '../contract/tool-ids.ts';

/** JSON Schema of each tool's result. */
export const resultSchemas: Readonly<Record<ToolId, object>> = ${JSON.stringify(schemas)};
`,
  'npm run types:write',
);

// Writes clients/n8n/nodes/Earshot/tools.ts: the fields of the n8n node, made from the tools' declarations.
// Usage: npm run client:types, or with --check to be told when the file is stale
import type { OptionSchema } from '../src/library/core/checks/schema.ts';
import type { InputRole } from '../src/library/contract/tool-inputs.ts';
import { offeredTools } from '../src/service/offers/offers.ts';
import { writeMade } from './write-made.ts';

/** As n8n's style wants names of fields and of operations: each word with a capital, but little ones. */
const title = (name: string): string =>
  name
    .split('_')
    .map((word, at) =>
      at > 0 && ['of', 'to', 'in', 'and', 'by'].includes(word) ? word : word[0]?.toUpperCase() + word.slice(1),
    )
    .join(' ')
    .replaceAll(/\bId\b/g, 'ID');

const isJson = ({ type, anyOf }: OptionSchema): boolean => type === 'array' || type === 'object' || anyOf !== undefined;

function fieldOf(name: string, schema: OptionSchema): object {
  const common = { displayName: title(name), name, description: schema.description ?? '' };
  const preset = schema.default;
  if (schema.enum !== undefined)
    return {
      ...common,
      type: 'options',
      options: schema.enum.map((value) => ({ name: title(String(value).replaceAll('-', '_')), value })),
      default: preset ?? schema.enum[0],
    };
  if (schema.type === 'boolean') return { ...common, type: 'boolean', default: preset ?? false };
  if (schema.type === 'number' || schema.type === 'integer') {
    const { minimum, maximum } = schema;
    return {
      ...common,
      type: 'number',
      typeOptions: {
        ...(minimum === undefined ? {} : { minValue: minimum }),
        ...(maximum === undefined ? {} : { maxValue: maximum }),
      },
      default: preset ?? minimum ?? 0,
    };
  }
  return { ...common, type: isJson(schema) ? 'json' : 'string', default: isJson(schema) ? '[]' : (preset ?? '') };
}

const shownFor = (id: string): object => ({ displayOptions: { show: { operation: [id] } } });
const properties: object[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    options: offeredTools
      .map((tool) => ({ name: tool.title, value: tool.id, description: tool.summary, action: tool.summary }))
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en')),
    default: 'remove_noise',
  },
];
const inputs: Record<string, Record<string, { multiple: boolean; itemKey?: string }>> = {};
const json: Record<string, string[]> = {};
const needed: Record<string, string[]> = {};
for (const { id, inputs: roles, options } of offeredTools) {
  const schema = options as OptionSchema;
  inputs[id] = {};
  for (const [name, role] of Object.entries(roles) as [string, InputRole & { readonly itemKey?: string }][]) {
    inputs[id][name] = { multiple: role.multiple, ...(role.itemKey === undefined ? {} : { itemKey: role.itemKey }) };
    const several = role.multiple ? '; several with commas between' : '';
    properties.push({
      displayName: `${title(name.replace(/_?file_ids?$/, '') || 'file')} Binary Field`,
      name: `file_${name}`,
      type: 'string',
      default: role.min > 0 && !role.multiple && name === 'file_id' ? 'data' : '',
      required: role.min > 0,
      description: `${role.title}: the name of the binary field that holds it${several}`,
      ...shownFor(id),
    });
  }
  const required = schema.required ?? [];
  needed[id] = [...required];
  const all = Object.entries(schema.properties ?? {});
  json[id] = all.flatMap(([name, each]) => (isJson(each) ? [name] : []));
  for (const [name, each] of all)
    if (required.includes(name)) properties.push({ ...fieldOf(name, each), required: true, ...shownFor(id) });
  properties.push({
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: all
      .filter(([name]) => !required.includes(name))
      .map(([name, each]) => fieldOf(name, each))
      .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b), 'en')),
    ...shownFor(id),
  });
}

const body = (value: unknown): string => JSON.stringify(value, null, 2);
writeMade(
  'clients/n8n/nodes/Earshot/tools.ts',
  [
    "// Made by scripts/write-n8n-node.ts from the tools' declarations: edit those, then `npm run client:types`.",
    "import type { INodeProperties } from 'n8n-workflow';",
    '',
    `export const toolProperties: INodeProperties[] = ${body(properties)};`,
    '',
    '/** Fields of files by tool. */',
    `export const toolInputs: Record<string, Record<string, { multiple: boolean; itemKey?: string }>> = ${body(inputs)};`,
    '',
    '/** Options that are JSON. */',
    `export const jsonFields: Record<string, string[]> = ${body(json)};`,
    '',
    '/** Options that must be given. */',
    `export const requiredFields: Record<string, string[]> = ${body(needed)};`,
    '',
    '/** Tools that cost nothing, and take no key against doing it twice. */',
    `export const keyless: string[] = ${body(offeredTools.filter(({ jobFields }) => !jobFields).map(({ id }) => id))};`,
  ].join('\n'),
  'npm run client:types',
);

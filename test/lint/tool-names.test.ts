// What is true of a tool is said in its folder (docs/extending.md): no other file of src lists tools by name.
//
// A list is an array, an object, a chain of comparisons or a switch with two names of tools or more, ids or slugs.
// Words that are slugs by chance (cut, mix) count beside a name that is no word. Files that a script makes are no
// lists.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { toolSlugs } from '../../src/library/contract/tool-ids.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = new Set<string>(Object.entries(toolSlugs).flat());
/** Names that are no words. */
const distinct = [...names].filter((name) => /[_-]/.test(name));

/** Files that do something with certain tools, or say what the contract says of each. */
const allowed: Readonly<Record<string, string>> = {
  'src/library/runtime/process/warm-up.ts': 'runs three so that the first run of any is fast',
  'src/library/runtime/chains/recipes.ts': 'chains of certain tools',
  'src/service/http/interface/examples.ts': 'examples of the contract',
  'src/service/offers/interface-tool.ts': 'what the contract does not have',
  'src/service/offers/offers.ts': 'the price list',
};

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
const partsOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

/** The words that a literal or a chain of conditions lists; what functions and calls in it do is their own. */
function listed(node: Node): string[] {
  const { type } = node;
  if (type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : [];
  if (type === 'Property') {
    const [key, value] = [node['key'] as Node, node['value'] as Node];
    return [...(key.type === 'Identifier' ? [String(key['name'])] : listed(key)), ...listed(value)];
  }
  const lists = ['ArrayExpression', 'ObjectExpression', 'LogicalExpression', 'BinaryExpression', 'SpreadElement'];
  if (lists.includes(type) || type === 'SwitchCase') return partsOf(node).flatMap(listed);
  return [];
}

function listsIn(source: string, file = 'a.ts'): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    const cases =
      node.type === 'SwitchStatement' ? (node['cases'] as Node[]).map(({ test }) => test).filter(isNode) : [];
    const words = cases.length > 0 ? cases.flatMap(listed) : node.type === 'Literal' ? [] : listed(node);
    const tools = [...new Set(words.filter((word) => names.has(word)))];
    if (tools.length > 1 && tools.some((name) => distinct.includes(name)))
      found.push(`${source.slice(0, node.start).split('\n').length}: ${tools.join(', ')}`);
    else for (const part of partsOf(node)) visit(part);
  };
  visit(parseSync(file, source).program as unknown as Node);
  return found;
}

it('no file outside the folder of a tool lists tools by name', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/^src\/library\/tools\/[a-z]+_[a-z_]+\//.test(file))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)
    .filter(([, source]) => !/^.*Made by /.test(source) && distinct.some((name) => source.includes(name)));
  const found = files.flatMap(([file, source]) => listsIn(source, file).map((list) => [file, list] as const));
  expect(found.filter(([file]) => allowed[file] === undefined)).toEqual([]);
  // What needs no allowance has none.
  expect(Object.keys(allowed).filter((file) => !found.some(([at]) => at === file))).toEqual([]);
});

it('lists are found as arrays, keys, conditions and cases', () => {
  expect(listsIn(`const own = new Set(['join_audio', 'mix_tracks']);`)).toHaveLength(1);
  expect(listsIn(`const signs = { 'remove-noise': 1, cut: 2 };`)).toHaveLength(1);
  expect(listsIn(`const is = tool === 'cut_audio' || tool === 'remove_fillers';`)).toHaveLength(1);
  expect(listsIn(`switch (tool) { case 'cut': break; case 'remove-silence': break; }`)).toHaveLength(1);
  expect(listsIn(`const purposes = ['cut', 'convert']; run('cut_audio', ['mix']);`)).toEqual([]);
});

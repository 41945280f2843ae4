import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

/**
 * No circle between folders of src: what oxlint's import/no-cycle cannot say. A folder is one room; its own subfolders
 * are others. Imports of types count, and so do lazy ones, except those of `lazyByDesign`.
 */
const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** Lazy imports that may close a circle, each with its reason. */
const lazyByDesign: readonly (readonly [from: RegExp, to: RegExp, why: string])[] = [
  [
    /^library\/tools\/[^/]+\/tool\.ts$/,
    /^library\/tools\/[^/]+\/run\.ts$/,
    'a declaration names the work that loads native code only when the tool runs',
  ],
];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly lazy: boolean;
}

/** Every relative import of a source file, also `import('...')` of types and values. */
function importsOf(path: string, source: string): Import[] {
  const { module, program } = parseSync(path, source);
  const found: Import[] = [];
  const add = (specifier: string | undefined, lazy: boolean): void => {
    if (specifier?.startsWith('.')) found.push({ from: path, to: join(dirname(path), specifier), lazy });
  };
  for (const { moduleRequest } of module.staticImports) add(moduleRequest.value, false);
  for (const { entries } of module.staticExports) for (const entry of entries) add(entry.moduleRequest?.value, false);
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== 'object') return undefined;
    const { type, source: from } = node as { readonly type?: string; readonly source?: { readonly value?: string } };
    if (type === 'ImportExpression') add(from?.value, true);
    if (type === 'TSImportType') add(from?.value, false);
    return Object.values(node).forEach(visit);
  };
  visit(program.body);
  return found;
}

/** Folders that reach one another, each set sorted (Tarjan's strongly connected components of two or more). */
function circles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.get(node)!);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) found.push(component.toSorted());
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return found;
}

const allowed = ({ from, to, lazy }: Import): boolean =>
  lazy && lazyByDesign.some(([one, other]) => one.test(from) && other.test(to));

/** Each circle with the imports inside it, so that one sees which to turn round. */
function folderCircles(imports: readonly Import[]): string[] {
  const edges = new Map<string, Set<string>>();
  for (const one of imports) {
    const [from, to] = [dirname(one.from), dirname(one.to)];
    if (from === to || allowed(one)) continue;
    edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  return circles(edges).map((folders) => {
    const inside = imports.filter(
      (one) =>
        !allowed(one) &&
        dirname(one.from) !== dirname(one.to) &&
        folders.includes(dirname(one.from)) &&
        folders.includes(dirname(one.to)),
    );
    return `${folders.join(' <-> ')}\n${inside.map(({ from, to }) => `  ${from} -> ${to}`).join('\n')}`;
  });
}

describe('folders of src', () => {
  it('stand in no circle', () => {
    const imports = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => importsOf(path, readFileSync(join(src, path), 'utf8')));
    expect(imports.length).toBeGreaterThan(500);
    expect(folderCircles(imports).join('\n')).toBe('');
  });

  it('hold at most 40 files each, as do those of test and bench', () => {
    const counts = new Map<string, number>();
    for (const root of [src, join(src, '../test'), join(src, '../bench')])
      for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) counts.set(entry.parentPath, (counts.get(entry.parentPath) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 40)).toEqual([]);
  });

  it.each([
    ['values', "import { x } from '../b/x.ts';", "import { y } from '../a/y.ts';"],
    ['types', "import type { X } from '../b/x.ts';", "import type { Y } from '../a/y.ts';"],
    ['lazy ones', "const x = await import('../b/x.ts');", "import { y } from '../a/y.ts';"],
    ['types asked for in place', "let x: import('../b/x.ts').X;", "let y: typeof import('../a/y.ts').y;"],
    ['re-exports', "export * from '../b/x.ts';", "export { y } from '../a/y.ts';"],
  ])('are refused a circle of %s', (_kind, a, b) => {
    expect(folderCircles([...importsOf('a/y.ts', a), ...importsOf('b/x.ts', b)])).toHaveLength(1);
    expect(folderCircles(importsOf('a/y.ts', a))).toEqual([]);
  });

  it('may hold a declaration that names its work', () => {
    expect(lazyByDesign.every(([, , why]) => why.length > 0)).toBe(true);
    expect(allowed({ from: 'library/tools/cut_audio/tool.ts', to: 'library/tools/cut_audio/run.ts', lazy: true })).toBe(
      true,
    );
    expect(
      allowed({ from: 'library/tools/cut_audio/tool.ts', to: 'library/tools/cut_audio/run.ts', lazy: false }),
    ).toBe(false);
  });
});

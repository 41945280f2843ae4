// The module constants of the rooms that hold tuned numbers, read from their source.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const rooms = 'src/library/{dsp,speech}/**/*.ts';

/** A part of a source file that a variation replaces. Offsets in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface SourceConstant {
  /** Below src/library. */
  readonly file: string;
  readonly name: string;
  /** As written, without comments, in one line. */
  readonly value: string;
  /** One expression that can be multiplied as a whole; otherwise every literal is. */
  readonly single: boolean;
  readonly initializer: Span;
  readonly literals: readonly Span[];
  /** The docstring, '' without one. */
  readonly doc: string;
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const functions = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'ClassExpression']);
const numbers = new Set(['Literal', 'UnaryExpression', 'BinaryExpression', 'CallExpression', 'MemberExpression']);

/** The nodes right below one. @param leaves out these fields */
export const partsOf = (node: Node, leaves: (field: string) => boolean = () => false): Node[] =>
  Object.entries(node).flatMap(([field, value]) =>
    leaves(field) ? [] : Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );

/** Number literals below a node; what functions hold does not count, nor do keys of objects and places in lists. */
function literalsOf(node: Node): Node[] {
  if (functions.has(node.type)) return [];
  if (node.type === 'Literal') return typeof node['value'] === 'number' ? [node] : [];
  const parts = partsOf(
    node,
    (field) =>
      (field === 'key' && node.type === 'Property') || (field === 'property' && node.type === 'MemberExpression'),
  );
  return parts.flatMap(literalsOf);
}

/** Without `as const`, `satisfies` and parentheses. */
function bare(node: Node): Node {
  const inner = node['expression'];
  return ['TSAsExpression', 'TSSatisfiesExpression', 'ParenthesizedExpression'].includes(node.type) && isNode(inner)
    ? bare(inner)
    : node;
}

/** An arithmetic expression of numbers and names. */
function isSingle(node: Node): boolean {
  if (!numbers.has(node.type)) return node.type === 'Identifier';
  const operands = ['argument', 'left', 'right'].map((field) => node[field]).filter(isNode);
  return operands.every((operand) => isSingle(bare(operand)));
}

function docBefore(text: string, start: number): string {
  const doc = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/u.exec(text.slice(0, start))?.[1] ?? '';
  return doc.replaceAll(/\s*\n\s*\*?\s*/gu, ' ').trim();
}

/** Module constants of one file's text whose initializers hold number literals. */
export function constantsOfText(file: string, text: string): SourceConstant[] {
  const { program, comments } = parseSync(file, text);
  const spanOf = ({ start, end }: Node): Span => ({ start, end, text: text.slice(start, end) });
  const written = ({ start, end }: Node): string => {
    let value = text.slice(start, end);
    for (const comment of comments.toReversed())
      if (comment.start >= start && comment.end <= end)
        value = value.slice(0, comment.start - start) + value.slice(comment.end - start);
    return value.replaceAll(/\s+/gu, ' ').trim();
  };
  return (program.body as unknown as Node[]).flatMap((statement) => {
    const declaration = (statement.type === 'ExportNamedDeclaration' ? statement['declaration'] : statement) as Node;
    if (declaration?.type !== 'VariableDeclaration' || declaration['kind'] !== 'const') return [];
    return (declaration['declarations'] as Node[]).flatMap((declarator): SourceConstant[] => {
      const id = declarator['id'] as Node;
      const initializer = declarator['init'];
      if (!isNode(initializer)) return [];
      const literals = literalsOf(initializer);
      if (literals.length === 0) return [];
      const value = bare(initializer);
      return [
        {
          file,
          name: (id['name'] as string | undefined) ?? written(id),
          value: written(value),
          single: isSingle(value),
          initializer: spanOf(value),
          literals: literals.map(spanOf),
          doc: docBefore(text, statement.start),
        },
      ];
    });
  });
}

/** Every module constant of src/library/dsp and src/library/speech, by file and place. */
export function sourceConstants(): SourceConstant[] {
  return globSync(rooms, { cwd: root })
    .toSorted()
    .flatMap((path) => constantsOfText(path.slice('src/library/'.length), readFileSync(root + path, 'utf8')));
}

export const keyOf = ({ file, name }: { readonly file: string; readonly name: string }): string => `${file} ${name}`;

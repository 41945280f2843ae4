// Rules: the functions of a source file that answer yes or no. Switched off, one always answers the same.
import { parseSync } from 'oxc-parser';
import { isNode, type Node, partsOf, type Span } from './source-constants.ts';
import type { Edit } from './variations.ts';

/** A rule with one answer. */
export interface Rule {
  /** "isMusic = false". */
  readonly name: string;
  readonly edits: readonly Edit[];
}

/** Its type says so, or, where it has none, its name. */
const isYesOrNo = (node: Node, name: string): boolean => {
  const type = (node['returnType'] as Node | null)?.['typeAnnotation'] as Node | undefined;
  return type === undefined ? /^(?:is|has|may|must|can)(?:[A-Z]|$)/u.test(name) : type.type === 'TSBooleanKeyword';
};

/** Of a function or what holds it: a variable, a method, a property. */
const nameOf = (node: Node): string | undefined => ((node['id'] ?? node['key']) as Node | null)?.['name'] as string;

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

export function rulesOfText(file: string, text: string): Rule[] {
  const rules: Rule[] = [];
  const visit = (node: Node, name: string): void => {
    const own = nameOf(node) ?? name;
    const body = node['body'];
    if (functions.has(node.type) && isYesOrNo(node, own) && isNode(body)) {
      const span: Span = { start: body.start, end: body.end, text: text.slice(body.start, body.end) };
      for (const answer of [false, true])
        rules.push({
          name: `${own} = ${answer}`,
          edits: [{ ...span, becomes: body.type === 'BlockStatement' ? `{ return ${answer}; }` : String(answer) }],
        });
    }
    for (const part of partsOf(node)) visit(part, own);
  };
  visit(parseSync(file, text).program as unknown as Node, '');
  return rules;
}

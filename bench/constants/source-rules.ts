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

const isYesOrNo = (node: Node): boolean => {
  const type = (node['returnType'] as Node | undefined)?.['typeAnnotation'] as Node | undefined;
  return type?.type === 'TSBooleanKeyword' && isNode(node['body']);
};

/** Of a function or what holds it: a variable, a method, a property. */
const nameOf = (node: Node): string | undefined => ((node['id'] ?? node['key']) as Node | null)?.['name'] as string;

export function rulesOfText(file: string, text: string): Rule[] {
  const rules: Rule[] = [];
  const visit = (node: Node, name: string): void => {
    const own = nameOf(node) ?? name;
    const body = node['body'];
    if (isYesOrNo(node) && isNode(body)) {
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

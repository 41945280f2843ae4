import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { slow } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** A title of a test is read in one line of a terminal. */
const mostCharacters = 100;

/** Of every `it`, `test` and `describe`, also with `.each` and such, as they are written. */
function titlesIn(source: string, path = 'x.test.ts'): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== 'object') return undefined;
    const { type, callee, arguments: args } = node as Partial<Record<string, never>> & { type?: string };
    if (type === 'CallExpression') {
      const [title] = args as unknown as { type: string; value?: unknown; start: number; end: number }[];
      if (title && /^(?:it|test|describe)\b/.test(source.slice((callee as { start: number } | undefined)?.start))) {
        if (typeof title.value === 'string') found.push(title.value);
        if (title.type === 'TemplateLiteral') found.push(source.slice(title.start + 1, title.end - 1));
      }
    }
    return Object.values(node).forEach(visit);
  };
  visit(parseSync(path, source).program.body);
  return found;
}

it('every title of a test has at most 100 characters', slow, () => {
  const files = globSync('test/**/*.test.ts', { cwd: root });
  const titles = files.flatMap((file) =>
    titlesIn(readFileSync(join(root, file), 'utf8'), file).map((title) => `${file}: ${title}`),
  );
  expect(titles.length).toBeGreaterThan(2000);
  expect(titles.filter((each) => each.slice(each.indexOf(': ') + 2).length > mostCharacters)).toEqual([]);
});

it('a long one is found in each form', () => {
  const long = 'x'.repeat(mostCharacters + 1);
  for (const form of [`it('${long}', f)`, `test.each([1])('${long}', f)`, `describe(\`${long}\`, f)`])
    expect(titlesIn(form)).toEqual([long]);
});

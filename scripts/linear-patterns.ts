// The regular expressions of src and the schemas' patterns take time that grows with the length of the text, not with
// its square: a text of a stranger may be megabytes long. Examining all of them takes a minute, so those that were
// found linear are listed by their hashes in linear-patterns.txt; test/lint/linear-patterns.test.ts examines the
// others. How a quadratic one is made linear: `x+$` tries each x as a start; `(?<!x)x+$` tries one (not in code for
// browsers). Usage: npm run patterns:write
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Expression, parseSync, type SpreadElement, Visitor } from 'oxc-parser';
import { checkSync } from 'recheck';

const root = fileURLToPath(new URL('../', import.meta.url));
const list = join(root, 'scripts/linear-patterns.txt');

/** A regular expression of the sources. */
export interface SourcePattern {
  /** "src/a.ts:12", the first of several. */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

const search = {
  timeout: null,
  incubationTimeout: null,
  attackTimeout: null,
  checker: 'fuzz',
  randomSeed: 1,
} as const;

const hashOf = ({ source, flags }: SourcePattern): string =>
  createHash('sha256').update(`${flags}/${source}`).digest('hex').slice(0, 16);

/** The text of a string or template; what another file puts into a template is read as one letter. */
function textOf(node: Expression | SpreadElement | undefined, named: ReadonlyMap<string, string>): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type === 'Identifier') return named.get(node.name);
  const raw = node?.type === 'TaggedTemplateExpression';
  const template = raw ? node.quasi : node;
  if (template?.type !== 'TemplateLiteral') return undefined;
  return template.quasis
    .map(({ value }, index) => {
      const inner = template.expressions[index];
      return `${raw ? value.raw : value.cooked}${inner === undefined ? '' : (textOf(inner, named) ?? 'x')}`;
    })
    .join('');
}

/** Literals, texts given to RegExp, and `pattern` of schemas; each once. */
export function readPatterns(): SourcePattern[] {
  const found = new Map<string, SourcePattern>();
  for (const path of globSync('src/**/*.{ts,tsx,js}', { cwd: root }).toSorted()) {
    const text = readFileSync(join(root, path), 'utf8');
    const add = (at: number, source: string, flags: string): void => {
      const place = `${path.replaceAll('\\', '/')}:${text.slice(0, at).split('\n').length}`;
      const pattern = { place, source, flags: flags.replaceAll(/[dgvy]/g, (flag) => (flag === 'v' ? 'u' : '')) };
      const hash = hashOf(pattern);
      if (!found.has(hash)) found.set(hash, pattern);
    };
    const named = new Map<string, string>();
    new Visitor({
      VariableDeclarator({ id, init }) {
        const said = textOf(init ?? undefined, named);
        if (id.type === 'Identifier' && said !== undefined) named.set(id.name, said);
      },
      Literal(node) {
        if ('regex' in node) add(node.start, node.regex.pattern, node.regex.flags);
      },
      NewExpression({ start, callee, arguments: [source, flags] }) {
        if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
        const said = textOf(source, named);
        if (said !== undefined) add(start, said, flags?.type === 'Literal' ? String(flags.value) : '');
      },
      Property({ start, key, value }) {
        const isPattern = key.type === 'Identifier' && key.name === 'pattern';
        if (isPattern && value.type === 'Literal' && typeof value.value === 'string') add(start, value.value, 'u');
      },
    }).visit(parseSync(path, text).program);
  }
  return [...found.values()];
}

/** Those that are not in the list. */
export function notListed(patterns: readonly SourcePattern[]): SourcePattern[] {
  const listed = new Set(readFileSync(list, 'utf8').split('\n'));
  return patterns.filter((pattern) => !listed.has(hashOf(pattern)));
}

/** A text that takes a square of its length; null: it is linear. */
export function whyNotLinear({ source, flags }: SourcePattern): string | null {
  // Its other ways are a Java program and a binary.
  process.env['RECHECK_SYNC_BACKEND'] = 'pure';
  // Automata are exact and sometimes endless; the search for a slow text answers for all patterns. Its steps are
  // limited, not its time, so that a busy machine finds the same.
  const exact = checkSync(source, flags, { timeout: 2000, checker: 'automaton' });
  const { status, ...found } = exact.status === 'unknown' ? checkSync(source, flags, search) : exact;
  if (status === 'safe') return null;
  return 'attack' in found ? `slow for ${found.attack.pattern}` : 'cannot be examined; write a simpler one';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const patterns = readPatterns();
  const fresh = new Map(notListed(patterns).map((pattern) => [pattern, whyNotLinear(pattern)]));
  for (const [{ place, source, flags }, why] of fresh)
    if (why !== null) console.error(`${place}: /${source}/${flags} is ${why}`);
  const linear = patterns.filter((pattern) => (fresh.get(pattern) ?? null) === null);
  writeFileSync(list, `${linear.map(hashOf).toSorted().join('\n')}\n`);
  if (linear.length < patterns.length) process.exitCode = 1;
}

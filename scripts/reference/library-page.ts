// docs/reference/library.md: what the package exports, as its sources declare it.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docOf, exportsOf, find, nameOf } from './declarations.mjs';
import { code, fenced, madeBy } from './markdown.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const entries = [
  { specifier: 'earshot', file: 'src/index.ts', about: 'The library: tools on files, in processes of their own.' },
  {
    specifier: 'earshot/sound',
    file: 'src/sound.ts',
    about: 'Samples in the own process; [../sound.md](../sound.md).',
  },
  {
    specifier: 'earshot/server',
    file: 'src/server.ts',
    about: 'The service to embed or to put together anew; [../embedding.md](../embedding.md).',
  },
  {
    specifier: 'earshot/client',
    file: 'src/client.ts',
    about: 'The REST API from Node and browsers; [../client.md](../client.md).',
  },
];

/** Declarations that other pages show better. */
const elsewhere: Readonly<Record<string, string>> = {
  'src/library/tools/option-types.ts': '[tools.md](tools.md)',
  'src/client/api-types.ts': '[rest-api.md](rest-api.md) and [tools.md](tools.md)',
  'src/client/tool-inputs.ts': '[tools.md](tools.md)',
};

// oxlint-disable-next-line typescript/no-explicit-any -- nodes of the parser, of which each kind has fields of its own
type Node = any;
interface Found {
  readonly module: { readonly file: string; readonly source: string };
  readonly node: Node;
  readonly outer: Node;
}

/** The text of a declaration without what it does: signatures, and members with their docstrings. */
function signatureOf({ module, node }: Found): string {
  const text = (from: number, to: number): string => module.source.slice(from, to).trim();
  if (node.type === 'FunctionDeclaration') return `${text(node.start, node.body.start)};`.replace(/^async /, '');
  if (node.type === 'ClassDeclaration') {
    const members = (node.body.body as Node[])
      .filter(
        (each) =>
          each.accessibility !== 'private' && each.type !== 'StaticBlock' && each.key?.type !== 'PrivateIdentifier',
      )
      .map((each) => {
        const doc = docOf(module, each);
        const body = each.value?.body;
        const own = body ? `${text(each.start, body.start)};` : text(each.start, each.end);
        return `${doc === '' ? '' : `  /** ${doc.replaceAll('\n', '\n   * ')} */\n`}  ${own}`;
      });
    return `${text(node.start, node.body.start)} {\n${members.join('\n')}\n}`;
  }
  if (node.type === 'VariableDeclarator') {
    const value = node.init;
    const body = value?.type === 'ArrowFunctionExpression' ? value.body : undefined;
    if (body) return `const ${text(node.start, body.start).replace(/\s*=>$/, '')};`;
    const type = node.id.typeAnnotation;
    return `const ${nameOf(node.id)}${type ? text(type.start, type.end) : ''};`;
  }
  return text(node.start, node.end);
}

function sectionOf(
  file: string,
  name: string,
): { readonly heading: string; readonly body: string; readonly where: string } {
  const found = find(file, name) as (Found & { readonly outside?: string }) | undefined;
  if (found === undefined || found.outside !== undefined)
    return { heading: name, body: `Of ${code(found?.outside ?? 'elsewhere')}.`, where: '' };
  const doc = (docOf(found.module, found.outer) || docOf(found.module, found.node)).replaceAll(/^@(\w+)/gm, '\n**$1**');
  return {
    heading: name,
    body: [doc, fenced('ts', signatureOf(found))].filter((each) => each !== '').join('\n\n'),
    where: relative(root, found.module.file).replaceAll('\\', '/'),
  };
}

export function libraryPage(): string {
  const shown = new Set<string>();
  return [
    madeBy(
      'Library reference',
      'Every export with its declaration. Tools’ options: [tools.md](tools.md); errors: [errors.md](errors.md).',
    ),
    ...entries.flatMap(({ specifier, file, about }) => {
      const sections = (exportsOf(root + file) as string[]).map((name) => sectionOf(root + file, name));
      const own = sections.filter(({ heading, where }) => !(where in elsewhere) && !shown.has(`${where} ${heading}`));
      const again = sections
        .filter(({ heading, where }) => shown.has(`${where} ${heading}`))
        .map(({ heading }) => code(heading));
      for (const { heading, where } of own) shown.add(`${where} ${heading}`);
      return [
        `## ${specifier}`,
        about,
        ...Object.entries(elsewhere).flatMap(([where, page]) => {
          const names = sections.filter((each) => each.where === where).map(({ heading }) => code(heading));
          return names.length === 0 ? [] : [`Types whose fields stand in ${page}: ${names.join(', ')}.`];
        }),
        ...(again.length === 0 ? [] : [`Also here, as above: ${again.join(', ')}.`]),
        ...own.map(({ heading, body }) => `### ${heading}\n\n${body}`),
      ];
    }),
    '',
  ].join('\n\n');
}

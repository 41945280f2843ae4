// The Markdown of docs/ as pages: read and rendered once, on the first request.
import { readdirSync, readFileSync } from 'node:fs';
import { html, render } from '../../../../library/core/markup.ts';
import { packagePath } from '../../../../library/core/running-files.ts';
import type { Strings } from '../strings/en/index.ts';

export type GuideGroup = keyof Strings['docs']['groups'];

export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly level: number;
}

export interface Guide {
  /** Name in the address: "tutorial", "reference/tools". */
  readonly name: string;
  readonly group: GuideGroup;
  readonly title: string;
  readonly html: string;
  /** Headings of levels 2 and 3. */
  readonly headings: readonly Heading[];
}

/** A search result: a section of a guide. */
export interface Found {
  readonly name: string;
  readonly guide: string;
  readonly section: string;
  readonly anchor: string;
  readonly excerpt: string;
}

export interface Guides {
  readonly all: readonly Guide[];
  get(name: string): Guide | undefined;
  search(query: string): readonly Found[];
}

/** Guides in order; a guide in none of the lists is in `more`. */
const groups: readonly (readonly [GuideGroup, readonly string[]])[] = [
  ['start', ['tutorial', 'recipes', 'installing', 'coming-from']],
  [
    'use',
    [
      'tools',
      'editor',
      'speech',
      'command-line',
      'chains',
      'timelines',
      'tags',
      'library',
      'free-api',
      'rest-api',
      'client',
      'webhooks',
      'transcript-format',
      'older-api',
    ],
  ],
  [
    'run',
    ['operating', 'deploying', 'scaling', 'runners', 'engines', 'embedding', 'models', 'confinement', 'upgrading'],
  ],
];

const fileNames = (folder: string): readonly string[] =>
  readdirSync(packagePath(folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3));

/** Names of all guides with their groups. */
export function guideNames(): readonly (readonly [string, GuideGroup])[] {
  const there = fileNames('docs');
  const grouped = groups.flatMap(([group, names]) =>
    names.filter((name) => there.includes(name)).map((name) => [name, group] as const),
  );
  const rest = there
    .filter((name) => !grouped.some(([other]) => other === name))
    .map((name) => [name, 'more'] as const);
  const reference = fileNames('docs/reference').map((name) => [`reference/${name}`, 'reference'] as const);
  return [...grouped, ...rest, ...reference];
}

/** Anchors of headings as GitHub makes them, which the links of the guides use. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/**
 * The address of a link in a guide. Other guides are pages; files of the repository have no page.
 * @param known names of all guides
 */
function addressOf(
  from: string,
  link: string,
  known: ReadonlySet<string>,
  href: (path: string) => string,
): string | null {
  if (/^(?:https?:|mailto:|#)/.test(link)) return link;
  const { pathname, hash } = new URL(link, `http://docs/${from}`);
  const name = decodeURIComponent(pathname).slice(1).replace(/\.md$/, '');
  return known.has(name) ? `${href(`/docs/${name}`)}${hash}` : null;
}

/** @param href returns the address of one of our paths */
export async function loadGuides(href: (path: string) => string): Promise<Guides> {
  const [{ Marked }, { default: MiniSearch }] = await Promise.all([import('marked'), import('minisearch')]);
  const names = guideNames();
  const known = new Set(names.map(([name]) => name));
  const sections: (Found & { readonly id: number; readonly text: string })[] = [];

  function renderGuide(name: string, group: GuideGroup): Guide {
    const text = readFileSync(packagePath(`docs/${name}.md`), 'utf8');
    const headings: Heading[] = [];
    const used = new Map<string, number>();
    let title = name;
    let section = '';
    let anchor = '';
    const collect = (words: string): void => {
      const last = sections.at(-1);
      if (last?.name === name && last.anchor === anchor)
        sections[sections.length - 1] = { ...last, text: `${last.text} ${words}` };
      else sections.push({ id: sections.length, name, guide: title, section, anchor, text: words, excerpt: '' });
    };
    const marked = new Marked({ gfm: true });
    marked.use({
      renderer: {
        heading({ tokens, depth }) {
          const inner = this.parser.parseInline(tokens);
          const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
          if (depth === 1) title = plain;
          const base = anchorOf(plain);
          const count = used.get(base) ?? 0;
          used.set(base, count + 1);
          const id = count === 0 ? base : `${base}-${count}`;
          if (depth === 2 || depth === 3) headings.push({ id, text: plain, level: depth });
          if (depth > 1) [section, anchor] = [plain, id];
          collect(plain);
          return `<h${depth} id="${id}">${inner}</h${depth}>\n`;
        },
        paragraph({ tokens, text: words }) {
          collect(words);
          return `<p>${this.parser.parseInline(tokens)}</p>\n`;
        },
        code: ({ text: words }) =>
          render(
            html`<div class="code">
              <pre tabindex="0"><code>${words}</code></pre>
            </div>`,
          ),
        table(token) {
          const cell = (tag: string, one: { tokens: (typeof token.header)[number]['tokens'] }): string =>
            `<${tag}>${this.parser.parseInline(one.tokens)}</${tag}>`;
          collect(
            token.rows
              .flat()
              .map(({ text: words }) => words)
              .join(' '),
          );
          const head = `<tr>${token.header.map((one) => cell('th', one)).join('')}</tr>`;
          const rows = token.rows.map((row) => `<tr>${row.map((one) => cell('td', one)).join('')}</tr>`).join('');
          return (
            '<div class="scroll-x" tabindex="0" role="region" ' +
            `aria-label="${section.replaceAll('"', '') || title}"><table class="table ` +
            `bare"><thead>${head}</thead><tbody>${rows}</tbody></table></div>\n`
          );
        },
        listitem(item) {
          collect(item.text);
          return `<li>${this.parser.parse(item.tokens)}</li>\n`;
        },
        link({ href: link, tokens }) {
          const inner = this.parser.parseInline(tokens);
          const address = addressOf(name, link, known, href);
          return address === null ? inner : `<a href="${address.replaceAll('"', '%22')}">${inner}</a>`;
        },
        image: ({ text: words }) => words,
        // HTML in the guides is dropped: it is comments for editors.
        html: () => '',
      },
    });
    const parsed = marked.parse(text, { async: false });
    return { name, group, title, html: parsed, headings };
  }

  const all = names.map(([name, group]) => renderGuide(name, group));
  const index = new MiniSearch<(typeof sections)[number]>({
    fields: ['guide', 'section', 'text'],
    searchOptions: { boost: { guide: 2, section: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  });
  index.addAll(sections);
  return {
    all,
    get: (name) => all.find((guide) => guide.name === name),
    search: (query) =>
      index
        .search(query.split(/\s+/, mostTerms).join(' '))
        .slice(0, 30)
        .flatMap(({ id, terms }) => {
          const found = sections[id as number];
          return found === undefined ? [] : [{ ...found, excerpt: excerptOf(found.text, terms) }];
        }),
  };
}

/** Each costs milliseconds, a letter alone the most: many words begin with it. */
const mostTerms = 8;

/** The text around the first search term, without Markdown syntax. */
function excerptOf(text: string, terms: readonly string[]): string {
  const plain = text.replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1').replace(/[`*]/g, '');
  const at = Math.max(0, ...terms.slice(0, 1).map((term) => plain.toLowerCase().indexOf(term)));
  const start = Math.max(0, plain.lastIndexOf(' ', Math.max(0, at - 60)));
  const excerpt = plain.slice(start, start + 180).trim();
  return `${start > 0 ? '… ' : ''}${excerpt}${start + 180 < plain.length ? ' …' : ''}`;
}

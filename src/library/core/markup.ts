// HTML as components: htm reads the templates, preact-render-to-string writes them and escapes every text.
import { html as template, renderToString, type VNode } from './preact.js';

/** What a template makes. */
export type Html = VNode | readonly Part[];

/** What an element may have in it: text is escaped; true, false, null and undefined are nothing. */
export type Part = Html | string | number | boolean | null | undefined;

/** Attributes to spread, by name: true gives the name alone, false, null and undefined leave it out. */
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | { readonly __html: string }>>;

const folded = new WeakMap<TemplateStringsArray, TemplateStringsArray>();

/** htm drops whitespace with a line break in it. In HTML it is a space, and the formatter breaks lines at spaces. */
function fold(strings: TemplateStringsArray): TemplateStringsArray {
  let known = folded.get(strings);
  if (known === undefined) {
    known = Object.assign(
      strings.map((text) => {
        const lines = text.split('\n');
        const last = lines.length - 1;
        return lines.map((line, at) => (at === 0 ? line : at === last ? line.trimStart() : line.trim())).join(' ');
      }),
      { raw: strings.raw },
    );
    folded.set(strings, known);
  }
  return known;
}

/** A template: `html\`<p class="small" ...${attributes}>${text}</p>\``. Elements without an end tag end with `/>`. */
export const html = (strings: TemplateStringsArray, ...values: readonly (Part | Attributes)[]): Html =>
  template(fold(strings), ...values);

/** The content of an element that is HTML already, to spread: for our own constants, never for external input. */
export const trusted = (text: string): Attributes => ({ dangerouslySetInnerHTML: { __html: text } });

/** HTML as text. */
export const render = (part: Part): string => renderToString(part);

/** A whole document. @param root the element html */
export const renderDocument = (root: Html): string => `<!doctype html>\n${render(root)}\n`;

/** Data for a script of the page, which finds it by its id. Never run: the page's policy forbids inline scripts. */
export const jsonScript = (id: string, data: unknown): Html =>
  // Only "</script" and "<!--" are special inside such an element.
  html`<script
    type="application/json"
    id="${id}"
    ...${trusted(JSON.stringify(data).replaceAll('<', '\\u003c'))}
  ></script>`;

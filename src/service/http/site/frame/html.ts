// HTML as values: whatever is put into `html` is escaped, unless it is HTML itself.
import { escapeHtml } from '../../../../library/core/escape-html.ts';

/** HTML that is safe to send. Only `html` and `trusted` make it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** What a template takes: text and numbers are escaped, HTML is not; false, null and undefined are nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[];

/** A tagged template: `html\`<p>${text}</p>\``. Attributes must be in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) text += render(part) + (strings[index + 1] ?? '');
  return new Html(text);
}

function render(part: Part): string {
  if (part === false || part === null || part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return (part as readonly Part[]).map(render).join('');
  return escapeHtml(String(part));
}

/** Treats text as HTML: for our own constants, never for external input. */
export const trusted = (text: string): Html => new Html(text);

/**
 * Attributes: true gives the name alone, false and undefined leave it out.
 * @param values by name; names are our own
 */
export const attributes = (values: Readonly<Record<string, string | number | boolean | undefined | null>>): Html =>
  trusted(
    Object.entries(values)
      .flatMap(([name, value]) =>
        value === false || value === undefined || value === null
          ? []
          : [value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`],
      )
      .join(''),
  );

/**
 * Data for a script of the page, which finds it by its id. It is never run: the page's policy forbids inline scripts.
 */
export const jsonScript = (id: string, data: unknown): Html =>
  // Only "</script" and "<!--" are special inside such an element.
  trusted(`<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`);

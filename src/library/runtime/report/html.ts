// Text in pages. Names and texts come from files, so that all of it is escaped, in the one place where it is joined.
import { escapeHtml } from '../../core/escape-html.ts';

/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

/** What may stand in a page: text is escaped, HTML is not, of lists each. */
export type Content = string | number | Html | readonly Content[];

/** Control characters, and those that turn the direction of the text around them. */
// oxlint-disable-next-line no-control-regex -- they are what is replaced
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Half of a pair of surrogates would make the file invalid. */
const visible = (text: string): string => Buffer.from(text).toString().replaceAll(invisible, '\u{fffd}');

function text(content: Content): string {
  if (typeof content === 'string') return escapeHtml(visible(content));
  if (typeof content === 'number') return `${content}`;
  if ('html' in content) return content.html;
  return content.map(text).join('');
}

/** A template whose values are escaped. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Content[]): Html => ({
  html: parts.map((part, index) => part + (index < values.length ? text(values[index] as Content) : '')).join(''),
});

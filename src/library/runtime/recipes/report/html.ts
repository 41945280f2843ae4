// Templates of a page whose texts come from files and their names.
import { html, type Html, type Part } from '../../../core/markup.ts';

/** Control characters, and those that turn the direction of the text around them. */
// oxlint-disable-next-line no-control-regex -- they are what is replaced
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Half of a pair of surrogates would make the file invalid. */
const visible = (text: string): string => Buffer.from(text).toString().replaceAll(invisible, '\u{fffd}');

const shown = (part: Part): Part =>
  typeof part === 'string' ? visible(part) : Array.isArray(part) ? part.map(shown) : part;

/** `html`, with signs in place of what cannot be seen. */
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  html(strings, ...parts.map(shown));

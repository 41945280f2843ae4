import { html, type Part } from '../../../../library/core/markup.ts';

/** The words of a search, in lower case. */
export const termsOf = (query: string): readonly string[] =>
  query
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((term) => term !== '')
    .slice(0, 8);

/** A text whose places that begin with a term are marked. */
export function markedText(text: string, terms: readonly string[]): readonly Part[] {
  if (terms.length === 0) return [text];
  // Only letters and digits: nothing to escape.
  const found = new RegExp(`(?<![\\p{L}\\p{N}])((?:${terms.join('|')})[\\p{L}\\p{N}]*)`, 'giu');
  return text.split(found).map((piece, place) => (place % 2 === 1 ? html`<mark>${piece}</mark>` : piece));
}

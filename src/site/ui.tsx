// Small parts that several scripts share.
import type { ComponentChildren, JSX } from 'preact';
import * as icons from './icons.ts';
import { formOf, type Plural } from '../library/core/plural.ts';

/** A decorative icon beside a text. @param of its content; see icons.ts */
export const Icon = ({ of }: { readonly of: string }): JSX.Element => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" dangerouslySetInnerHTML={{ __html: of }} />
);

interface NoteProps {
  readonly kind: 'mark' | 'fault' | '';
  readonly title: string;
  readonly children?: ComponentChildren;
}

export const Note = ({ kind, title, children }: NoteProps): JSX.Element => (
  <div class={`note ${kind}`} role={kind === 'fault' ? 'alert' : 'note'}>
    <Icon of={kind === 'fault' ? icons.warn : icons.info} />
    <div>
      <h2 class="h4">{title}</h2>
      {children}
    </div>
  </div>
);

/** `fill('{n} of {all}', { n: 1, all: 3 })` is "1 of 3". */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

/** "1 word", "12 words": a number in its language, in the form that it asks for. */
export const plural = (
  language: string,
  forms: Plural,
  n: number,
  more: Readonly<Record<string, string | number>> = {},
): string =>
  fill(formOf(language, forms, n), {
    n: n.toLocaleString(language),
    ...more,
  });

/** "1.5 MB". */
export function shownBytes(bytes: number, language: string): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB'];
  if (bytes % 2 ** 20 === 0 && bytes > 0 && bytes < 2 ** 30) return `${bytes / 2 ** 20}\u00a0MB`;
  let rest = bytes;
  let index = 0;
  while (rest >= 1000 && index < names.length - 1) {
    rest /= 1000;
    index++;
  }
  return `${rest.toLocaleString(language, { maximumFractionDigits: rest < 10 && index > 0 ? 1 : 0 })}\u00a0${names[index]}`;
}

/** Reads the JSON that the server put into the page. */
export const pageData = <Data,>(): Data => JSON.parse(document.querySelector('#data')?.textContent ?? 'null') as Data;

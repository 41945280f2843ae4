// What a step is called: kept as the name of a text with its values, so that it is read in the language of the page.
import type { Plural } from '../../library/core/plural.ts';
import { plural } from '../ui.tsx';
import { data, seconds, t } from './page-data.ts';

/** Texts of steps, by name. */
type LabelName = { [Name in keyof typeof t]: (typeof t)[Name] extends string | Plural ? Name : never }[keyof typeof t];
/** A text of the page, by the names that lead to it. */
type Path = readonly string[];
/** Numbers are seconds, but for `n` of what is counted. */
type Values = Readonly<Record<string, string | number | Path>>;

/** Longer ones would make a label that is too long to be kept. */
const mostLetters = 90;
const short = (text: string): string => (text.length > mostLetters ? `${text.slice(0, mostLetters)}\u2026` : text);

/** The label of a step, as it is kept. */
export const label = (name: LabelName, values: Values = {}): string =>
  JSON.stringify([
    name,
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, typeof value === 'string' ? short(value) : value]),
    ),
  ]);

/** A kept label in the language of the page. Those of an earlier release are words already. */
export function labelText(kept: string): string {
  if (!kept.startsWith('["')) return kept;
  try {
    const [name, values] = JSON.parse(kept) as [string, Values];
    const text = textAt([name]);
    if (text === undefined) return kept;
    const { n, ...rest } = values;
    const filled = Object.fromEntries(
      Object.entries(typeof text === 'string' ? values : rest).map(([key, value]) => [key, shown(value)]),
    );
    return plural(data.language, typeof text === 'string' ? { one: text, other: text } : text, Number(n ?? 1), filled);
  } catch {
    return kept;
  }
}

function textAt(path: Path): string | Plural | undefined {
  let at: unknown = t;
  for (const name of path) at = (at as Readonly<Record<string, unknown>> | undefined)?.[name];
  return at as string | Plural | undefined;
}

function shown(value: string | number | Path): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return seconds(value);
  const text = textAt(value);
  return typeof text === 'string' ? text : '';
}

// The languages of the website: those that have a folder in strings.
import { en, type Strings } from '../strings/en/index.ts';
import { texts } from '../strings/every-language.ts';
import { formOf, type Plural } from '../../../../library/core/plural.ts';
import { fill } from './fill.ts';

/** A language as pages use it. */
export interface Language {
  /** BCP 47: the name of its folder. */
  readonly code: string;
  /** Name in the language itself. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  readonly t: Strings;
  /** "1 credit", "12 credits", with the number in this language's format. */
  count(forms: Plural, n: number): string;
  /** A number in this language's format. */
  number(n: number, digits?: 0 | 1 | 2 | 3): string;
  /** US cents in this language's form: "$5.00", "5,00\u00a0$". */
  money(cents: number): string;
  /** "22 Nov 2026", in UTC. */
  day(at: Date): string;
}

function language(code: string, t: Strings): Language {
  const rules = new Intl.PluralRules(code);
  // Made once: making one costs a quarter of a millisecond, and pages show a hundred numbers and days.
  const numbers = [0, 1, 2, 3].map(
    (digits) => new Intl.NumberFormat(code, { minimumFractionDigits: 0, maximumFractionDigits: digits }),
  );
  const days = new Intl.DateTimeFormat(code === 'en' ? 'en-GB' : code, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const amounts = new Intl.NumberFormat(code === 'en' ? 'en-US' : code, { style: 'currency', currency: 'USD' });
  const number = (n: number, digits: 0 | 1 | 2 | 3 = 0): string => (numbers[digits] as Intl.NumberFormat).format(n);
  return {
    code,
    name: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
    direction: writtenFrom(code),
    t,
    number,
    money: (cents) => amounts.format(cents / 100),
    day: (at) => days.format(at),
    count: (forms, n) => fill(formOf(rules, forms, n), { n: number(n) }),
  };
}

/** Scripts that run from right to left. */
const fromRight: ReadonlySet<string | undefined> = new Set(['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg']);
const writtenFrom = (code: string): Language['direction'] =>
  fromRight.has(new Intl.Locale(code).maximize().script) ? 'rtl' : 'ltr';

export const english = language('en', en);

export const languages: readonly Language[] = Object.entries(texts).map(([code, t]) =>
  code === english.code ? english : language(code, t),
);

/** The language with this code; undefined when there is none. */
export const languageOf = (code: string | undefined): Language | undefined =>
  languages.find((each) => each.code === code);

/** The best match for an Accept-Language header (RFC 9110, 12.5.4); English without a match. */
export function preferredLanguage(accept: string | undefined): Language {
  const asked = (accept ?? '')
    .slice(0, 500)
    .split(',')
    .map((each) => {
      const [tag = '', ...parameters] = each.trim().split(';');
      const q = parameters.map((part) => /^\s*q=([\d.]+)/.exec(part)?.[1]).find((value) => value !== undefined);
      return { code: tag.toLowerCase().split('-')[0] ?? '', weight: q === undefined ? 1 : Number(q) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  for (const { code } of asked) {
    const found = languageOf(code);
    if (found !== undefined) return found;
  }
  return english;
}

// Which runs of digits are the number of a card, an account or a phone.
import type { NumberRun } from './number-runs.ts';
import type { WordRun } from './sought-words.ts';

export interface FoundNumber extends WordRun {
  readonly kind: 'card' | 'iban' | 'phone' | 'number';
  /** Does its check digit hold? false: a digit may be misheard, and it is taken all the same; null: it has none. */
  readonly checked: boolean | null;
}

/** ISO/IEC 7812-1, annex B (Luhn 1954). */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const twice = at % 2 === 1 ? 2 * digit : digit;
    sum += twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}

/** ISO 13616: letters as 10 to 35, the first four characters last, remainder 1 by 97. */
export function passesMod97(iban: string): boolean {
  let rest = 0;
  for (const character of `${iban.slice(4)}${iban.slice(0, 4)}`)
    for (const digit of String(Number.parseInt(character, 36))) rest = (10 * rest + Number(digit)) % 97;
  return rest === 1;
}

/**
 * Of cards' numbers: Visa 4, Mastercard 51 to 55 and 2221 to 2720, American Express 34 and 37, others 30, 35, 36, 6.
 */
const issuers = /^(?:4|5[0-9]|2[2-7]|3[04-9]|6)/;
const cardLengths = { least: 13, most: 19 } as const;

/** Lengths of IBANs (ISO 13616 register, July 2024, and experimental ones left out). */
const ibanLengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 ' +
    'FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 ' +
    'LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 ' +
    'SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((each) => [each.slice(0, 2), Number(each.slice(2))]),
);

/** Without its area a number has seven. */
const fewestOfPhone = 7;
/** ITU-T E.164; more are several that are said one after the other. */
const longestPhone = 15;
/** Fewer are counts, years apart. */
const fewestDigits = 4;

/** The first account in a run from a character on; null: there is none. */
function ibanIn(
  characters: string,
  start: number,
): { readonly from: number; readonly to: number; readonly checked: boolean } | null {
  const begin = /[A-Z]{2}[0-9]{2}/g;
  begin.lastIndex = start;
  for (const { index } of characters.matchAll(begin)) {
    const length = ibanLengths[characters.slice(index, index + 2)];
    if (length === undefined) continue;
    const iban = characters.slice(index, index + length);
    if (iban.length === length && passesMod97(iban)) return { from: index, to: index + length, checked: true };
    // A character that is misheard, or missing, breaks the check, and the rest is still an account.
    if (characters.length - index >= 0.8 * length)
      return { from: index, to: Math.min(characters.length, index + length), checked: false };
  }
  return null;
}

const isYear = (digits: string): boolean => /^(?:1[5-9]|20)[0-9]{2}$/.test(digits);

/** Does every word of these characters say a year? */
function areYears({ words, characters }: NumberRun, from: number, to: number): boolean {
  const byWord = new Map<number, string>();
  for (let at = from; at < to; at += 1) {
    const word = words[at] as number;
    byWord.set(word, `${byWord.get(word) ?? ''}${characters[at]}`);
  }
  return [...byWord.values()].every(isYear);
}

/** A Luhn number within a longer run of digits, as before its date of expiry. */
function cardWithin(digits: string): boolean {
  for (let from = 0; from + cardLengths.least <= digits.length; from += 1)
    for (const length of [16, 15, 14, 13, 19, 18, 17]) {
      const part = digits.slice(from, from + length);
      if (part.length === length && issuers.test(part) && passesLuhn(part)) return true;
    }
  return false;
}

function kindOf(
  run: NumberRun,
  from: number,
  to: number,
  wanted: ReadonlySet<string>,
): Pick<FoundNumber, 'kind' | 'checked'> | null {
  const whole = run.characters.slice(from, to);
  const digits = whole.replace('+', '');
  const { length } = digits;
  // One phone in ten, and most runs of several, have a check digit that holds by chance.
  const isPhone = wanted.has('phone') && !wanted.has('card') && (length <= longestPhone || length > cardLengths.most);
  if (length >= cardLengths.least && !whole.startsWith('+') && !isPhone) {
    const isCard = length <= cardLengths.most && issuers.test(digits) && passesLuhn(digits);
    if (isCard || cardWithin(digits)) return { kind: 'card', checked: true };
    if (length <= cardLengths.most && length >= 15 && issuers.test(digits)) return { kind: 'card', checked: false };
  }
  if (run.isCount || areYears(run, from, to)) return null;
  // Letters in the same word are those of a version or of a name of a thing.
  const isCode = [from - 1, to].some(
    (at) => /[A-Z]/.test(run.characters[at] ?? '') && run.words[at] === run.words[at < from ? from : to - 1],
  );
  if (length >= fewestOfPhone && !isCode) return { kind: 'phone', checked: null };
  return length >= fewestDigits ? { kind: 'number', checked: null } : null;
}

/**
 * What a run of characters holds: words are taken whole. Numbers that are said one after the other are one run.
 * @param wanted kinds that are sought
 */
export function numbersIn(run: NumberRun, wanted: ReadonlySet<string>): FoundNumber[] {
  const { characters, words } = run;
  const found: FoundNumber[] = [];
  let rest = 0;
  for (let iban = ibanIn(characters, rest); iban !== null; iban = ibanIn(characters, rest)) {
    found.push(...plainNumbers(run, rest, iban.from, wanted));
    found.push({
      kind: 'iban',
      checked: iban.checked,
      from: words[iban.from] as number,
      to: (words[iban.to - 1] as number) + 1,
    });
    rest = iban.to;
  }
  return [...found, ...plainNumbers(run, rest, characters.length, wanted)];
}

/** Those of digits alone, in a part of a run. */
function plainNumbers(run: NumberRun, start: number, end: number, wanted: ReadonlySet<string>): FoundNumber[] {
  const { characters, words } = run;
  const runOf = (from: number, to: number): WordRun => ({
    from: words[from] as number,
    to: (words[to - 1] as number) + 1,
  });
  return [...characters.slice(start, end).matchAll(/\+?[0-9]+/g)].flatMap(({ index: at, 0: digits }) => {
    const index = start + at;
    const whole = kindOf(run, index, index + digits.length, wanted);
    // A card may be written with marks of a count; other numbers begin and end beside a date or an amount.
    const parts: readonly (readonly [number, number])[] =
      whole?.kind === 'card' && whole.checked === true
        ? [[index, index + digits.length]]
        : betweenCounts(run, index, index + digits.length);
    return parts.flatMap(([from, to]) => {
      const kind = kindOf(run, from, to, wanted);
      return kind === null ? [] : [{ ...kind, ...runOf(from, to) }];
    });
  });
}

/** Stretches of a run without dates and amounts, from a character on up to another. */
function betweenCounts({ words, counts }: NumberRun, start: number, end: number): [number, number][] {
  const parts: [number, number][] = [];
  for (let at = start; at < end; at += 1) {
    if (counts.has(words[at] as number)) continue;
    const last = parts.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else parts.push([at, at + 1]);
  }
  return parts;
}

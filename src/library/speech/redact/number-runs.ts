// Runs of digits and letters in a text: numbers of cards and phones as they are written, and as they are said.
import { addsUp, type SpokenDigits } from './spoken-digits.ts';
import { plainLetters, type Said } from './tokens.ts';

/** Consecutive words that are a number, or spell one. */
export interface NumberRun {
  /** Digits, capital letters and "+", without what separates them. */
  readonly characters: string;
  /** By character: index of its word. */
  readonly words: readonly number[];
  /** Words that are numbers of things, dates or amounts by their marks: "1,200", "3.5%", "12/05". */
  readonly counts: ReadonlySet<number>;
  /** Is all of it a number of things, as "1 200 000" and "five thousand"? */
  readonly isCount: boolean;
}

/** Separators of a written number: "(555) 010-1234", "4111-1111". */
const inNumber = /^[("'\u201C+]*[\p{L}\d][\p{L}\d\-\u2010-\u2013/.()\u00A0 "'\u201D,;:!?]*$/u;
const count =
  /^[^\p{L}\d]*(?:\d{1,3}(?:[.,']\d{3})+(?:[.,]\d{1,2})?|\d+[.,]\d{1,2}|\d{1,2}[/.:]\d{1,2}[/.:]\d{2,4})[^\d]*$/u;
const amount = /[%$\u20AC\u00A3\u00A5]/u;

/** In accounts of some countries a bank's letters follow: "GB29 NWBK 6016". */
const bank = /^[A-Z]{4}$/;
const countryAndCheck = /[A-Z]{2}[0-9]{2}$/;

/** What a word adds to a number: its characters; '' where it may be between; null: it ends the number. */
function charactersOf(text: string, spoken: SpokenDigits): string | null {
  const plain = plainLetters(text).replaceAll(/^[^\p{L}\p{N}+]+|(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');
  if (plain === '') return '';
  const parts = plain.split(/[^\p{L}\p{N}+]+/u).filter((part) => part !== '');
  const digits = parts.map((part) => (/^\d+$/.test(part) ? part : spoken.digitsOf(part)));
  if (digits.every((each) => each !== null)) return digits.reduce((all, each) => joinDigits(all, each), '');
  if (plain === 'plus' || plain === '+') return '+';
  if (spoken.isBetween(plain)) return '';
  const bare = plain.replaceAll(/[^\p{L}\p{N}]+/gu, '');
  // "DE89", "B", "(555)": letters of a number are alone, or with digits.
  if (!inNumber.test(text)) return null;
  if (/^[a-z]$/.test(bare) || (/\d/.test(bare) && /^[a-z\d]+$/.test(bare)))
    return `${plain.startsWith('+') ? '+' : ''}${bare.toUpperCase()}`;
  return null;
}

/** "twenty", "one": 21. */
const joinDigits = (before: string, digits: string): string =>
  addsUp(before.slice(-2), digits) ? `${before.slice(0, -1)}${digits}` : `${before}${digits}`;

/** The runs of a text, in order. */
export function numberRuns(words: readonly Said[], spoken: SpokenDigits): NumberRun[] {
  const runs: NumberRun[] = [];
  let characters = '';
  let at: number[] = [];
  let counts = new Set<number>();
  let [isCount, hasThousands] = [false, false];
  let repeats = 1;
  let gap = 0;
  let lastDigits = '';
  const finish = (): void => {
    if (characters !== '')
      runs.push({ characters, words: at, counts, isCount: isCount || (hasThousands && areThousands(at)) });
    counts = new Set();
    [characters, at, isCount, hasThousands, repeats, gap, lastDigits] = ['', [], false, false, 1, 0, ''];
  };
  for (const [index, { text }] of words.entries()) {
    const plain = plainLetters(text).replaceAll(/[^\p{L}\p{N}]/gu, '');
    const times = spoken.repeatsOf(plain);
    const isBank = bank.test(text) && countryAndCheck.test(characters);
    const added = isBank ? text : times > 1 ? '' : charactersOf(text, spoken);
    if (added === null) {
      finish();
      continue;
    }
    if (added === '') {
      repeats = times;
      if ((gap += 1) > mostBetween) finish();
      continue;
    }
    gap = 0;
    if (count.test(text) || amount.test(text)) counts.add(index);
    // Written, it is three digits of any number.
    if (added === '000' && /0/.test(text)) hasThousands = true;
    else isCount ||= added === '000';
    if (addsUp(lastDigits, added) && spoken.digitsOf(plain) !== null) {
      characters = `${characters.slice(0, -1)}${added}`;
      at[at.length - 1] = index;
      lastDigits = '';
      continue;
    }
    const all = added[0] === '+' ? added : `${added[0]?.repeat(repeats)}${added.slice(1)}`;
    repeats = 1;
    characters += all;
    for (let length = 0; length < all.length; length += 1) at.push(index);
    lastDigits = spoken.digitsOf(plain) ?? '';
    if (/[.!?\u2026]["'\u2019\u201D)\]]*$/u.test(text)) finish();
  }
  finish();
  return runs;
}

/** Is each word but the first three characters long, and that one no longer? @param words of each character */
function areThousands(words: readonly number[]): boolean {
  const lengths = new Map<number, number>();
  for (const word of words) lengths.set(word, (lengths.get(word) ?? 0) + 1);
  const [first = 0, ...others] = lengths.values();
  return first <= 3 && others.every((length) => length === 3);
}

/** Words between two of a number: "dash", "um". */
const mostBetween = 2;

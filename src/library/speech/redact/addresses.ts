// Addresses in a text: of mail and of pages, as they are written and as they are said, and of houses.
import type { WordRun } from './sought-words.ts';
import { plainLetters, type Said } from './tokens.ts';

/** The words that say "@" and "." in addresses; they are the same in texts of every language, as names are. */
const at = new Set(['at', '@', 'arroba', 'arobase', 'chiocciola', 'klammeraffe', 'aet', 'et', 'sobaka']);
const dot = new Set(['dot', 'punkt', 'point', 'punto', 'ponto', 'kropka', 'tecka', 'piste', 'tochka', 'period']);
const joining = new Set(['underscore', 'unterstrich', 'hyphen', 'dash', 'bindestrich', 'minus', 'tiret', 'guion']);
/** The last part of names: what is usual, or two letters of a country, written. */
const domains = new Set(
  (
    'com org net edu gov mil int info biz io ai app dev co me tv eu de at ch fr es it nl be pl cz sk hu ro uk us ca au ' +
    'nz ie pt se no dk fi ru ua jp cn in br mx ar cl gr tr il za online shop blog cloud tech email mail example test'
  ).split(' '),
);
/** They stand before an address, and belong to no name. */
const before = new Set(
  (
    'is my me to an ist unter meine mail email address adresse the it its write contact und and or oder at von bei for ' +
    'est mon c es mi e la le il mia auf schreib schreiben send sind are our unser unsere your ihre deine'
  ).split(' '),
);
const mostNames = 3;
/** Words of a host or of the name before it: RFC 1035 allows 127 parts, RFC 5321 64 letters, with a dot between. */
const mostParts = 127;

const bare = ({ text }: Said): string =>
  plainLetters(text).replaceAll(/^[^\p{L}\p{N}@]+|(?<![^\p{L}\p{N}@])[^\p{L}\p{N}@]+$/gu, '');
const endsSentence = ({ text }: Said): boolean => /[.!?]["'\u2019\u201D)]*$/u.test(text);

export interface FoundAddress extends WordRun {
  readonly kind: 'email' | 'web' | 'address';
}

const writtenWeb = /^(?:https?:\/\/|www\.)\S|^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.([a-z]{2,})(?:\/\S*)?$/u;

function isWritten(text: string): 'email' | 'web' | null {
  const plain = plainLetters(text).replaceAll(/^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}/])[^\p{L}\p{N}/]+$/gu, '');
  if (/^[^\s@]+@[^\s@.]+\.[^\s@]+$/u.test(plain)) return 'email';
  const found = writtenWeb.exec(plain);
  if (found === null) return null;
  return found[1] === undefined || (domains.has(found[1]) && /\p{L}/u.test(plain.slice(0, -found[1].length)))
    ? 'web'
    : null;
}

/**
 * The name of a host that begins at a word, as "mail dot example dot com" or "example.com": where it ends; null: none.
 */
function hostFrom(words: readonly string[], from: number): number | null {
  if (isWritten(words[from] ?? '') === 'web') return from + 1;
  let to = from + 1;
  let last: string | null = null;
  // Names of several words, letters that are spelled, and what is said for a hyphen.
  for (let said = 0; to < words.length && said < mostNames && !dot.has(words[to] ?? ''); said += 1) to += 1;
  while (to - from < 2 * mostParts && dot.has(words[to] ?? '') && words[to + 1] !== undefined) {
    last = words[to + 1] as string;
    to += 2;
  }
  return last !== null && domains.has(last) ? to : null;
}

/** How far to the left the name before an "@" goes. */
function nameBefore(words: readonly Said[], plain: readonly string[], end: number): number {
  let from = end;
  let names = 0;
  while (from > 0 && end - from < mostParts) {
    const word = plain[from - 1] as string;
    if (from < end && endsSentence(words[from - 1] as Said)) break;
    const isJoined = dot.has(word) || joining.has(word) || dot.has(plain[from] ?? '') || joining.has(plain[from] ?? '');
    const isSpelled = word.length === 1 || /\d/.test(word);
    if (!isJoined && !isSpelled && (before.has(word) || names >= mostNames)) break;
    if (!isJoined && !isSpelled) names += 1;
    from -= 1;
  }
  return from;
}

/** Addresses of mail and of pages. */
export function netAddresses(words: readonly Said[]): FoundAddress[] {
  const plain = words.map(bare);
  const found: FoundAddress[] = [];
  for (const [index, word] of words.entries()) {
    const written = isWritten(word.text);
    if (written !== null) found.push({ kind: written, from: index, to: index + 1 });
    if (at.has(plain[index] as string)) {
      const to = hostFrom(plain, index + 1);
      if (to === null) continue;
      const from = nameBefore(words, plain, index);
      if (from < index) found.push({ kind: 'email', from, to });
    } else if (dot.has(plain[index] as string) && index > 0 && !dot.has(plain[index - 2] ?? '')) {
      const to = hostFrom(plain, index - 1);
      if (to !== null) found.push({ kind: 'web', from: index - 1, to });
    }
  }
  return found;
}

const roads = new Set(
  (
    'street st avenue ave road rd lane ln drive dr court ct boulevard blvd way place pl square sq terrace close crescent ' +
    'parkway highway circle trail row alley mews'
  ).split(' '),
);
const roadEnds =
  /(?:strasse|str|weg|platz|allee|gasse|ring|damm|ufer|chaussee|steig|stieg|pfad|markt|straat|laan|plein|gatan|vagen|gade|vej|katu|tie)$/;
const roadStarts = new Set(
  'rue avenue boulevard place chemin allee quai impasse calle avenida plaza paseo camino via viale piazza corso vicolo rua travessa praca ulica ulice'.split(
    ' ',
  ),
);
const particles = new Set(
  'de du des la le les l d del della delle dei degli el los las do da dos das san saint sankt'.split(' '),
);
const ukPostcode = /^[A-Z]{1,2}[0-9][A-Z0-9]?$/;
const ukSecond = /^[0-9][A-Z]{2}$/;
const houseNumber = /^[0-9]{1,5}[a-z]?$/;
const postcode = /^[0-9]{4,5}$/;
const mostOfRoad = 4;

/**
 * Postal addresses: a house's number and its road, with the post code and the town that follow.
 * @param isNumber does a word say a number?
 */
export function postalAddresses(words: readonly Said[], isNumber: (word: string) => boolean): FoundAddress[] {
  const plain = words.map(bare);
  const hasNumber = (index: number): boolean => {
    const word = plain[index] ?? '';
    return houseNumber.test(word) || isNumber(word);
  };
  const found: FoundAddress[] = [];
  const add = (from: number, to: number): void => {
    found.push({ kind: 'address', from, to: withTown(words, plain, to) });
  };
  for (const [index, word] of plain.entries()) {
    if (roads.has(word) && index > 0) {
      // "12 Old Main Street"
      for (let from = index - 2; from >= Math.max(0, index - 1 - mostOfRoad); from -= 1)
        if (hasNumber(from)) {
          while (hasNumber(from - 1)) from -= 1;
          add(from, index + 1);
          break;
        }
    }
    if (roadEnds.test(word) && hasNumber(index + 1)) {
      // "Hauptstrasse 12", "Lange Strasse 12"
      const isWhole = roadEnds.test(word) && word.replace(roadEnds, '') !== '';
      let to = index + 2;
      while (hasNumber(to) && !postcode.test(plain[to] ?? '')) to += 1;
      add(isWhole ? index : Math.max(0, index - 1), to);
    }
    if (roadStarts.has(word)) {
      // "12, rue de la Paix", "Via Roma 12"
      let to = index + 1;
      while (particles.has(plain[to] ?? '')) to += 1;
      to += 1;
      if (index > 0 && hasNumber(index - 1)) add(index - 1, Math.min(words.length, to));
      else
        for (let number = to; number <= to + 2; number += 1)
          if (hasNumber(number)) {
            add(index, number + 1);
            break;
          }
    }
    const upper = (words[index]?.text ?? '').replaceAll(/[^\p{L}\p{N}]/gu, '');
    const next = (words[index + 1]?.text ?? '').replaceAll(/[^\p{L}\p{N}]/gu, '');
    if (ukPostcode.test(upper) && ukSecond.test(next)) found.push({ kind: 'address', from: index, to: index + 2 });
  }
  return found;
}

const isName = ({ text }: Said): boolean => /^\P{L}*\p{Lu}/u.test(text);
const mostOfTown = 4;

/** Behind a house: "Springfield, IL 62701", "10115 Berlin". Where it ends. */
function withTown(words: readonly Said[], plain: readonly string[], end: number): number {
  const last = words[end - 1];
  if (last !== undefined && endsSentence(last) && !/^(?:st|ave|rd|dr|ln|blvd|ct|sq|str)$/.test(plain[end - 1] ?? ''))
    return end;
  if (end > 0 && end < words.length && postcode.test(plain[end] ?? '')) {
    let to = end + 1;
    while (
      to < words.length &&
      to < end + 1 + mostOfTown &&
      isName(words[to] as Said) &&
      !endsSentence(words[to - 1] as Said)
    )
      to += 1;
    return to;
  }
  for (let to = end; to < Math.min(words.length, end + mostOfTown); to += 1) {
    if (postcode.test(plain[to] ?? '')) return to + 1;
    if (!isName(words[to] as Said) || endsSentence(words[to] as Said)) break;
  }
  return end;
}

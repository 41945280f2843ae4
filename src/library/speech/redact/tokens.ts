// Words as they are compared: without case, accents, punctuation and hyphens.
import { unspacedLetter } from '../../contract/join-words.ts';

/** A word of a text. */
export interface Said {
  /** As written, with its punctuation. */
  readonly text: string;
}

/** A part of a word that is compared by itself: of "Smith-Jones" each name, of a script without spaces each letter. */
export interface Token {
  /** Index of its word. */
  readonly word: number;
  /** Letters and digits in lower case, without accents: "muller". */
  readonly plain: string;
  /** With umlauts written out: "mueller". */
  readonly wide: string;
}

const otherLetters: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };
const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

const lower = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Lower case, without accents. */
export const plainLetters = (text: string): string =>
  lower(text)
    .replaceAll(/[ßæœøłđı]/gu, (letter) => otherLetters[letter] ?? letter)
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/gu, '')
    .normalize('NFC');

const wideLetters = (text: string): string =>
  plainLetters(lower(text).replaceAll(/[äöüåø]/gu, (letter) => umlauts[letter] ?? letter));

/** The parts of a text, without what is between them. */
const partsOf = (text: string): string[] =>
  (lower(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap((part) =>
    unspacedLetter.test(part) ? Array.from(part) : [part],
  );

/** The tokens of words, in their order. */
export const wordTokens = (words: readonly Said[]): Token[] =>
  words.flatMap(({ text }, word) =>
    partsOf(text).map((part) => ({ word, plain: plainLetters(part), wide: wideLetters(part) })),
  );

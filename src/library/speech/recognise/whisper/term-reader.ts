// What is needed to look for terms in readings, and what is found.
import type { Reading } from './decode.ts';
import type { WhisperNetwork } from './network.ts';
import { unheard, type Unheard } from './unheard.ts';
import type { TokenWord, Vocabulary } from './vocabulary.ts';

/** Tokens behind the place that must fit to the term, too. */
export const tokensBehind = 6;

/**
 * How likely words may be, as the sum of their tokens' logarithms, in whose place a term is written: of words in the
 * place of 21 said names at most -1.3; "have" and "Tilney", where "Caoimhe" and "Tilda" fitted, -.45 and -.5.
 */
export const mostSure = -1;

/**
 * What the sound must add to a term in the place of frequent words alone: said names had 9 and more, "Grainne" for
 * "right" 8.2.
 */
export const leastInFrequent = 8.5;

export interface TermReader {
  readonly network: WhisperNetwork;
  readonly vocabulary: Vocabulary;
  readonly terms: readonly string[];
  /** Of the text. */
  readonly language: string;
  /** Tokens before the text. */
  readonly prompt: readonly number[];
  cancelled(): boolean;
}

/** A term in the place of tokens [from, to) of a reading. */
export interface FoundTerm {
  readonly term: string;
  readonly from: number;
  readonly to: number;
  /** Mean of its tokens. */
  readonly logProbability: number;
}

/** The worth says which of two that overlap stays. */
export type Worthy = FoundTerm & { readonly worth: number };

export const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

/** How likely terms are at the beginning of a text where nothing is heard. */
export const unheardBy = ({ network, prompt }: TermReader): Promise<Unheard> =>
  unheard(network, [...prompt, network.layout.tokens.firstTimestamp]);

/** How many words a term has. */
export const wordsIn = (term: string): number => term.split(/\s+/u).length;

/** Where the text of some words ends, without the marks behind them. */
export function endOf({ network, vocabulary }: TermReader, { tokens }: Reading, { from, to }: TokenWord): number {
  const { end } = network.layout.tokens;
  const isMark = (token: number): boolean => token >= end || !/[\p{L}\p{N}\uFFFD]/u.test(vocabulary.text([token]));
  let last = to;
  while (last > from + 1 && isMark(tokens[last - 1] as number)) last -= 1;
  return last;
}

/** Frequent words have one token. */
export const isRare = (reader: TermReader, reading: Reading, word: TokenWord): boolean =>
  endOf(reader, reading, word) - word.from > 1;

/** A term's tokens in the place of a reading's from there on. */
export function tokensOf({ vocabulary }: TermReader, { tokens }: Reading, term: string, from: number): number[] {
  const leading = /^\s/u.test(vocabulary.text([tokens[from] as number])) ? ' ' : '';
  return vocabulary.encode(`${leading}${term}`);
}

/** Those of the highest worth that do not overlap, in order. */
export function apart(found: readonly Worthy[]): Worthy[] {
  const kept: Worthy[] = [];
  for (const one of found.toSorted((a, b) => b.worth - a.worth))
    if (kept.every(({ from, to }) => one.to <= from || one.from >= to)) kept.push(one);
  return kept.toSorted((a, b) => a.from - b.from);
}

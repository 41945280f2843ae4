// Names and terms that the caller knows. Where a reading has words that sound like one, the network is asked which of
// both it hears, with the term in its prompt. So nothing else of the reading changes.
import { findHeardTerms } from './heard-terms.ts';
import { lettersOf, likeness, openSounds, type Sounding } from './likeness.ts';
import {
  apart,
  endOf,
  type FoundTerm,
  isRare,
  leastInFrequent,
  mostSure,
  sum,
  type TermReader,
  tokensBehind,
  tokensOf,
  unheardBy,
  wordsIn,
  type Worthy,
} from './term-reader.ts';
import type { Reading } from './decode.ts';
import type { Windows } from './decoder.ts';
import { continuing, scoreTexts } from './score-texts.ts';
import { soundAdds } from './unheard.ts';
import type { TokenWord, Vocabulary } from './vocabulary.ts';

/** Words in whose place a term may be said. */
interface Place {
  readonly term: string;
  /** Indices of the words, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** 0 to 1. */
  readonly likeness: number;
}

/** Less alike is not compared. */
const leastLikeness = 0.5;
/** Words that were read with confidence are another spelling of a term that sounds so much like them. */
const leastOfSpelling = 0.75;
/** Terms compared in one place, the most alike ones. */
const mostAtPlace = 4;
/** Places compared in one window. */
const mostPlaces = 6;
/** How much likelier a term must be, with it in the prompt: less so for what sounds nearly the same. */
const leastGain = (alike: number): number => (alike >= leastOfSpelling ? -3 : 0);
/**
 * How much likelier the sound must make it than silence does. Said names had 5.1 and more, the most alike words in 32
 * min without a name 2.9.
 */
const leastAdded = 4;

/** Doubtful words that sound like a term, most alike first. */
async function placesOf(reader: TermReader, reading: Reading, words: readonly TokenWord[]): Promise<Place[]> {
  const { terms, language } = reader;
  const { logProbabilities } = reading;
  /** "May" is no other spelling of "Mei", "Dashwood" is one of "Dashwoode". */
  const hasRare = (from: number, to: number): boolean =>
    words.slice(from, to).some((word) => isRare(reader, reading, word));
  const sounds = await openSounds(language);
  const heard: Sounding[] = words.map(({ text }) => sounds.ofWord(lettersOf(text)));
  const doubt = words.map(({ from, to }) => sum(logProbabilities.slice(from, to)));
  const isOpen = (from: number, to: number, alike: number): boolean =>
    sum(doubt.slice(from, to)) <= mostSure || (alike >= leastOfSpelling && hasRare(from, to));
  const places: Place[] = [];
  const isSaid = new Set<number>();
  const named = terms.map((term) => ({ term, own: sounds.ofName(term), count: wordsIn(term) }));
  for (const { own, count } of named)
    for (let from = 0; from + count <= words.length; from += 1)
      if (
        heard
          .slice(from, from + count)
          .map(({ letters }) => letters)
          .join('') === own.letters
      )
        for (let at = from; at < from + count; at += 1) isSaid.add(at);
  for (const { term, own, count } of named)
    for (let from = 0; from < words.length; from += 1)
      for (let to = from + 1; to <= Math.min(words.length, from + count + 2); to += 1) {
        if (isSaid.has(to - 1)) break;
        const alike = likeness(own, heard.slice(from, to));
        if (alike >= leastLikeness && isOpen(from, to, alike)) places.push({ term, from, to, likeness: alike });
      }
  return places.toSorted((a, b) => b.likeness - a.likeness);
}

/** What the sound adds to each term behind what was read before it. */
async function addedTo(
  reader: TermReader,
  windows: Windows,
  before: readonly number[],
  terms: readonly { readonly own: readonly number[] }[],
): Promise<number[]> {
  if (terms.length === 0) return [];
  const nothing = await unheardBy(reader);
  const continuation = await continuing(reader.network, windows, [...reader.prompt, ...before]);
  try {
    return await soundAdds(
      continuation,
      nothing,
      terms.map(({ own }) => own),
    );
  } finally {
    continuation.release();
  }
}

/** Where a reading has words that sound like terms, and the terms are likelier with them in the prompt, in order. */
async function findAlikeTerms(reader: TermReader, windows: Windows, reading: Reading): Promise<Worthy[]> {
  const { network, vocabulary, language, prompt } = reader;
  const { tokens } = reading;
  const words = vocabulary.words(tokens, language, network.layout.tokens.end);
  const byStart = new Map<number, Place[]>();
  for (const place of await placesOf(reader, reading, words)) {
    const known = byStart.get(place.from) ?? [];
    if (known.length === 0 && byStart.size === mostPlaces) continue;
    if (known.length < mostAtPlace) byStart.set(place.from, [...known, place]);
  }
  const found: Worthy[] = [];
  for (const [start, places] of byStart) {
    const begin = (words[start] as TokenWord).from;
    const terms = [...new Set(places.map(({ term }) => term))];
    const said = vocabulary.encode(` ${terms.join(', ')}.`);
    const before = [network.layout.tokens.previous, ...said, ...prompt, ...tokens.slice(0, begin)];
    const options = places.map((place) => {
      const to = endOf(reader, reading, words[place.to - 1] as TokenWord);
      return { place, to, own: tokensOf(reader, reading, place.term, begin) };
    });
    const furthest = Math.max(...options.map(({ to }) => to));
    // All texts end at the same token, so that they can be compared.
    const texts = options.map(({ own, to }) => [...own, ...tokens.slice(to, furthest + tokensBehind)]);
    const scores = await scoreTexts(network, windows, before, [tokens.slice(begin, furthest + tokensBehind), ...texts]);
    const usual = sum(scores[0] as number[]);
    const gained = options.flatMap(({ place, to, own }, index) => {
      const score = scores[index + 1] as number[];
      const worth = sum(score) - usual - leastGain(place.likeness);
      const logProbability = sum(score.slice(0, own.length)) / own.length;
      return worth < 0 ? [] : [{ own, worth, term: place.term, from: begin, to, logProbability }];
    });
    const added = await addedTo(reader, windows, tokens.slice(0, begin), gained);
    for (const [index, { own: _, ...one }] of gained.entries()) {
      const bySound = added[index] as number;
      const replaced = words.filter((word) => word.from >= one.from && word.from < one.to);
      const least = replaced.some((word) => isRare(reader, reading, word)) ? leastAdded : leastInFrequent;
      if (bySound >= least) found.push({ ...one, worth: one.worth + bySound });
    }
  }
  return found;
}

/** Where a reading has other words in the place of terms, in order; of two in one place the one with more for it. */
export async function findTerms(reader: TermReader, windows: Windows, reading: Reading): Promise<FoundTerm[]> {
  const heard = await findHeardTerms(reader, windows, reading);
  return apart([...heard, ...(await findAlikeTerms(reader, windows, reading))]);
}

/**
 * The reading with these terms. A term's tokens take the times of those that they replace: the first and the last one
 * keep theirs, so that words around it do not move.
 */
export function withTerms(reading: Reading, found: readonly FoundTerm[], vocabulary: Vocabulary): Reading {
  const tokens: number[] = [];
  const logProbabilities: number[] = [];
  const attention: Float32Array[] = [];
  let at = 0;
  const copy = (to: number): void => {
    tokens.push(...reading.tokens.slice(at, to));
    logProbabilities.push(...reading.logProbabilities.slice(at, to));
    attention.push(...reading.attention.slice(at, to));
    at = to;
  };
  for (const { term, from, to, logProbability } of found) {
    copy(from);
    const leading = /^\s/u.test(vocabulary.text([reading.tokens[from] as number])) ? ' ' : '';
    const own = vocabulary.encode(`${leading}${term}`);
    for (const [index, token] of own.entries()) {
      const share = own.length === 1 ? 0 : index / (own.length - 1);
      tokens.push(token);
      logProbabilities.push(logProbability);
      attention.push(reading.attention[from + Math.round(share * (to - from - 1))] as Float32Array);
    }
    at = to;
  }
  copy(reading.tokens.length);
  attention.push(...reading.attention.slice(reading.tokens.length));
  return { ...reading, tokens, logProbabilities, attention };
}
